// The C++ parts of the runtime API: overloads by the type of a pointer, a symbol or a kernel. Also the forms into which
// kernels and launches are rewritten (source/launch_text.hpp).
template <class T>
constexpr size_t gpulab_size_of = sizeof(T);
template <>
constexpr size_t gpulab_size_of<void> = 0;

template <class T>
GPULAB_INTRINSIC cudaError_t cudaMalloc(T** memory, size_t bytes) {
  return gpulab_malloc_device((void**)(void*)memory, bytes, gpulab_size_of<T>);
}
GPULAB_INTRINSIC cudaError_t cudaMalloc(std::nullptr_t, size_t bytes) { return cudaMalloc((void**)nullptr, bytes); }
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMallocManaged(T** memory, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return gpulab_malloc_managed((void**)(void*)memory, bytes, flags, gpulab_size_of<T>);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMallocHost(T** memory, size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return gpulab_malloc_host((void**)(void*)memory, bytes, flags, gpulab_size_of<T>);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaHostAlloc(T** memory, size_t bytes, unsigned flags) {
  return gpulab_host_alloc((void**)(void*)memory, bytes, flags, gpulab_size_of<T>);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMallocPitch(T** memory, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch((void**)(void*)memory, pitch, width, height);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync((void**)(void*)memory, bytes, stream);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer((void**)(void*)device, host, flags);
}

// Overloads of CUDA 13.
GPULAB_INTRINSIC cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, cudaMemLocation to, unsigned,
                                                  cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(memory, bytes, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId, stream);
}
GPULAB_INTRINSIC cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise advice,
                                           cudaMemLocation to) {
  return cudaMemAdvise(memory, bytes, advice, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId);
}

template <class T>
GPULAB_INTRINSIC cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return gpulab_copy_to_symbol((const void*)&symbol, sizeof(T), from, bytes, offset, kind, /*is_asynchronous=*/0, 0);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes,
                                                     size_t offset = 0,
                                                     cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                     cudaStream_t stream = 0) {
  return gpulab_copy_to_symbol((const void*)&symbol, sizeof(T), from, bytes, offset, kind, /*is_asynchronous=*/1, stream);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return gpulab_copy_from_symbol(to, (const void*)&symbol, sizeof(T), bytes, offset, kind, /*is_asynchronous=*/0, 0);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                                       cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                       cudaStream_t stream = 0) {
  return gpulab_copy_from_symbol(to, (const void*)&symbol, sizeof(T), bytes, offset, kind, /*is_asynchronous=*/1, stream);
}
template <class T, class U>
GPULAB_INTRINSIC cudaError_t cudaGetSymbolAddress(T** address, const U& symbol) {
  return gpulab_symbol_address((void**)(void*)address, (const void*)&symbol);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}

GPULAB_INTRINSIC cudaError_t cudaEventCreate(cudaEvent_t* event) { return gpulab_create_event(event, 0); }
GPULAB_INTRINSIC cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return gpulab_create_event(event, flags);
}
// The pointer's type tells whether integers are set, unless it has been cast to void*.
GPULAB_INTRINSIC cudaError_t cudaMemset(void* to, int value, size_t bytes) { return gpulab_set(to, value, bytes, 0); }
GPULAB_INTRINSIC cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = 0) {
  return gpulab_set_async(to, value, bytes, stream, 0);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMemset(T* to, int value, size_t bytes) {
  return gpulab_set(to, value, bytes, std::is_integral<T>::value);
}
template <class T>
GPULAB_INTRINSIC cudaError_t cudaMemsetAsync(T* to, int value, size_t bytes, cudaStream_t stream = 0) {
  return gpulab_set_async(to, value, bytes, stream, std::is_integral<T>::value);
}
GPULAB_INTRINSIC cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
GPULAB_INTRINSIC cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
GPULAB_INTRINSIC cudaPitchedPtr make_cudaPitchedPtr(void* memory, size_t pitch, size_t width, size_t height) {
  return {memory, pitch, width, height};
}

// ---- Launches ----
// Bytes of a kernel's arguments, copied for each thread: only the host calls copy constructors and destructors.
template <class Body>
struct gpulab_bytes_of {
  alignas(Body) char bytes[sizeof(Body)];
};
// GCC gives a structure's copy a line of the program only if the copy is inlined, and it is not inlined into an
// always_inline function.
#if defined(GPULAB_HOOKED) && !defined(__clang__) && !defined(GPULAB_DEBUGGED)
#define GPULAB_FLAT __attribute__((noinline, flatten))
#else
#define GPULAB_FLAT __attribute__((noinline))
#endif
template <class Body>
GPULAB_FLAT void gpulab_run_thread(gpulab_bytes_of<Body>& arguments) {
  ((Body&)arguments)();
}
// Runs a thread on its own copy of the arguments. A call of memcpy() would be hooked, and a loop over bytes takes long for
// each thread.
template <class Body>
GPULAB_UNHOOKED __attribute__((noinline)) void gpulab_call_body(void*, void* const* arguments) {
  typedef size_t __attribute__((may_alias, aligned(1))) word;  // three ints, for instance, begin at a multiple of 4
  gpulab_bytes_of<Body> own;
  const char* const from = static_cast<const char*>(arguments[0]);
  size_t done = 0;
  for (; done + sizeof(word) <= sizeof(Body); done += sizeof(word)) *(word*)(own.bytes + done) = *(const word*)(from + done);
  for (; done < sizeof(Body); ++done) own.bytes[done] = from[done];
  gpulab_run_thread<Body>(own);
}
// A kernel's launch bound, which the simulator reads before the kernel is called.
#define GPULAB_STATE_BOUNDS(threads, ...) \
  static const unsigned gpulab_launch_bound __attribute__((used)) = (unsigned)(threads);
// Passes a kernel's body to the device when the kernel is called. Its arguments may take 32764 bytes, as with CUDA 12.1.
template <class Body>
GPULAB_UNHOOKED GPULAB_INTRINSIC void gpulab_enter(const char* kernel, const Body& body) {
  static_assert(sizeof(Body) <= 32764 + 64, "the arguments of a kernel may take 32764 bytes at most");
  gpulab_launch(kernel, &body, sizeof(Body), &gpulab_call_body<Body>);
}
// Turn a kernel's parameter into a variable of the thread: compilers hook each access to a member of the lambda, which
// is in memory. Objects with constructors, and large ones, stay where they are.
#if defined(GPULAB_HOOKED) && !defined(GPULAB_DEBUGGED)
template <class T>
using gpulab_own = typename std::conditional<std::is_scalar<T>::value || (std::is_trivially_copyable<T>::value && sizeof(T) <= 64), T, T&>::type;
#define GPULAB_GIVEN(parameter) auto& gpulab_given_##parameter = parameter;
#define GPULAB_OWN(parameter) gpulab_own<decltype(parameter)> parameter = gpulab_given_##parameter;
#else
#define GPULAB_GIVEN(parameter)
#define GPULAB_OWN(parameter)
#endif
// The body of a kernel is a lambda. Compilers differ in where they accept its attributes. For a debugger it stays a
// separate function.
#if defined(GPULAB_DEBUGGED)
#define GPULAB_THREAD () mutable -> void
#ifndef GPULAB_HOST_FILE
// Makes the compiler describe these variables to the debugger, even if no kernel uses them.
__attribute__((used)) static unsigned gpulab_described() {
  return threadIdx.x + blockIdx.x + blockDim.x + gridDim.x;
}
#endif
#elif defined(__clang__)
#define GPULAB_THREAD () __attribute__((always_inline)) mutable -> void
#else
#define GPULAB_THREAD () mutable __attribute__((always_inline)) -> void
#endif
// A launch with one number, which is refused. Compilers differ in the attribute that refuses a call with a sentence.
#ifdef __clang__
#define GPULAB_REFUSED unavailable
#else
#define GPULAB_REFUSED error
#endif
__attribute__((GPULAB_REFUSED("a launch has blocks and threads: kernel<<<blocks, threads>>>(arguments)"))) void
gpulab_configure(dim3 grid);
#undef GPULAB_REFUSED
GPULAB_INTRINSIC void gpulab_configure(dim3 grid, dim3 block, size_t dynamic_shared_bytes = 0,
                                       cudaStream_t stream = 0) {
  gpulab_configure_launch(&grid.x, &block.x, dynamic_shared_bytes, stream, /*is_cooperative=*/0);
}

// ---- Kernels by their address ----
template <class... Parameters>
GPULAB_INTRINSIC cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Parameters...)) {
  return gpulab_function_attributes(attributes, (const void*)kernel);
}
GPULAB_INTRINSIC cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return gpulab_function_attributes(attributes, kernel);
}
template <class Kernel>
GPULAB_INTRINSIC cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  return gpulab_set_function_attribute((const void*)kernel, attribute, value);
}
template <class Kernel>
GPULAB_INTRINSIC cudaError_t cudaFuncSetCacheConfig(Kernel* kernel, cudaFuncCache) {
  return gpulab_use_function((const void*)kernel);
}
template <class Kernel>
GPULAB_INTRINSIC cudaError_t cudaFuncSetSharedMemConfig(Kernel* kernel, cudaSharedMemConfig) {
  return gpulab_use_function((const void*)kernel);
}
template <class Kernel>
GPULAB_INTRINSIC cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel,
                                                                          int block_size,
                                                                          size_t dynamic_shared_bytes) {
  return gpulab_active_blocks(blocks, (const void*)kernel, block_size, dynamic_shared_bytes);
}
template <class Kernel>
GPULAB_INTRINSIC cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel,
                                                                                   int block_size,
                                                                                   size_t dynamic_shared_bytes,
                                                                                   unsigned) {
  return gpulab_active_blocks(blocks, (const void*)kernel, block_size, dynamic_shared_bytes);
}
// Finds the block size, in whole warps, with the most resident threads. Of several such sizes, takes the largest.
template <class Kernel, class SharedBytesOfSize>
GPULAB_INTRINSIC cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size,
                                                                           Kernel* kernel,
                                                                           SharedBytesOfSize bytes_of_size,
                                                                           int limit = 0) {
  int max_threads = 0, multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaFuncAttributes attributes;
  if (cudaError_t error = gpulab_function_attributes(&attributes, (const void*)kernel)) return error;
  const int bound = attributes.maxThreadsPerBlock;
  for (int size = (limit > 0 && limit < bound ? limit : bound) / 32 * 32; size > 0; size -= 32) {
    int blocks = 0;
    if (cudaError_t error = gpulab_active_blocks(&blocks, (const void*)kernel, size, bytes_of_size(size))) return error;
    if (blocks * size <= max_threads) continue;
    max_threads = blocks * size;
    *block_size = size;
    *grid_size = blocks * multiprocessors;
  }
  return cudaSuccess;
}
template <class Kernel>
GPULAB_INTRINSIC cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel* kernel,
                                                               size_t dynamic_shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid_size, block_size, kernel, [=](int) { return dynamic_shared_bytes; }, limit);
}
// Calls a kernel. arguments[i] points to the i-th argument. Reports recognise this function by its name.
template <class... Parameters, size_t... I>
__attribute__((noinline)) void gpulab_call_kernel(void (*kernel)(Parameters...), void** arguments,
                                                  std::index_sequence<I...>) {
  kernel(*(Parameters*)arguments[I]...);
}
// Notes how to call the kernel at an address: the translation turns (void*)kernel into gpulab_kernel->*kernel.
struct gpulab_kernel_address {
} constexpr gpulab_kernel;
template <class... Parameters>
GPULAB_INTRINSIC void* operator->*(gpulab_kernel_address, void (*kernel)(Parameters...)) {
  gpulab_note_kernel((void*)kernel, [](void* address, void** arguments) {
    gpulab_call_kernel((void (*)(Parameters...))address, arguments, std::index_sequence_for<Parameters...>());
  });
  return (void*)kernel;
}
template <class T>
GPULAB_INTRINSIC void* operator->*(gpulab_kernel_address, T other) {
  return (void*)other;
}
GPULAB_INTRINSIC cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                              size_t dynamic_shared_bytes = 0, cudaStream_t stream = 0) {
  gpulab_configure_launch(&grid.x, &block.x, dynamic_shared_bytes, stream, /*is_cooperative=*/0);
  return gpulab_launch_address(kernel, arguments);
}
template <class... Parameters>
GPULAB_INTRINSIC cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                              size_t dynamic_shared_bytes = 0, cudaStream_t stream = 0) {
  return cudaLaunchKernel(gpulab_kernel->*kernel, grid, block, arguments, dynamic_shared_bytes, stream);
}
GPULAB_INTRINSIC cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                                         size_t dynamic_shared_bytes = 0, cudaStream_t stream = 0) {
  gpulab_configure_launch(&grid.x, &block.x, dynamic_shared_bytes, stream, /*is_cooperative=*/1);
  return gpulab_launch_address(kernel, arguments);
}
template <class... Parameters>
GPULAB_INTRINSIC cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                                         void** arguments, size_t dynamic_shared_bytes = 0,
                                                         cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel(gpulab_kernel->*kernel, grid, block, arguments, dynamic_shared_bytes, stream);
}

struct cudaLaunchAttributeValue {
  char bytes[64];
  int cooperative, priority;
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributePriority = 8
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
template <class... Parameters, class... Arguments>
GPULAB_INTRINSIC cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                                Arguments&&... arguments) {
  int is_cooperative = 0;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeCooperative) is_cooperative = config->attrs[i].val.cooperative;
  gpulab_configure_launch(&config->gridDim.x, &config->blockDim.x, config->dynamicSmemBytes, config->stream,
                          is_cooperative);
  kernel(static_cast<Parameters>(arguments)...);
  return gpulab_end_of_launch();
}

// ---- Graphs ----
GPULAB_INTRINSIC cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long = 0) {
  return gpulab_instantiate(exec, graph);
}
GPULAB_INTRINSIC cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*,
                                                  size_t) {
  return gpulab_instantiate(exec, graph);
}
GPULAB_INTRINSIC cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                           unsigned long long = 0) {
  return gpulab_instantiate(exec, graph);
}
GPULAB_INTRINSIC cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t*,
                                                 cudaGraphExecUpdateResult* result) {
  return gpulab_update_graph(exec, graph, result);
}
GPULAB_INTRINSIC cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                 cudaGraphExecUpdateResultInfo* info) {
  *info = {};
  return gpulab_update_graph(exec, graph, &info->result);
}

// ---- Formats of textures ----
// The channel type: of a scalar, its own type; of a vector, that of its members.
template <class T>
auto gpulab_channel_of(const T*, int) -> decltype(T::x);
template <class T>
T gpulab_channel_of(const T*, long);
template <class Channel>
GPULAB_UNHOOKED constexpr cudaChannelFormatKind gpulab_channel_kind() {
  if ((Channel)0.5f != (Channel)0) return cudaChannelFormatKindFloat;
  return (Channel)-1 < (Channel)0 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
}
GPULAB_INTRINSIC cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
template <class T>
GPULAB_INTRINSIC cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef decltype(gpulab_channel_of((const T*)nullptr, 0)) Channel;
  constexpr int bits = 8 * sizeof(Channel), count = sizeof(T) / sizeof(Channel);
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, gpulab_channel_kind<Channel>()};
}
GPULAB_INTRINSIC cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }
GPULAB_INTRINSIC cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return {16, 16, 0, 0, cudaChannelFormatKindFloat};
}
GPULAB_INTRINSIC cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return {16, 16, 16, 16, cudaChannelFormatKindFloat};
}

// Copies with the sizes of variables, as far as the compiler knows them where the copy is called: so a copy past the end
// of a local array is found. Clang inlines nothing where accesses are watched.
#if defined(GPULAB_HOOKED) && !defined(__clang__)
extern "C" void gpulab_set_known_sizes(const void* to, size_t to_bytes, const void* from, size_t from_bytes);
#define GPULAB_COPY_OF_KNOWN(name, parameters, ...) \
  extern inline __attribute__((gnu_inline, always_inline, artificial)) cudaError_t name parameters { \
    cudaError_t copy parameters __asm__("gpulab_" #name); \
    gpulab_set_known_sizes(to, __builtin_object_size(to, 0), from, __builtin_object_size(from, 0)); \
    const cudaError_t error = copy(__VA_ARGS__); \
    gpulab_set_known_sizes(0, 0, 0, 0); \
    return error; \
  }
GPULAB_COPY_OF_KNOWN(cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind), to, from, bytes, kind)
GPULAB_COPY_OF_KNOWN(cudaMemcpyAsync,
                     (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
                     to, from, bytes, kind, stream)
#endif

// The call of the driver API with which some programs of the runtime API begin.
enum CUresult { CUDA_SUCCESS = 0 };
inline CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
