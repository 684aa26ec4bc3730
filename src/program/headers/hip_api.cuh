// HIP, where it is more than CUDA under another name: launches, warp functions without masks, operators of vectors. The
// other names are macros before this text, hipMalloc for cudaMalloc; hip_names.txt has those that follow no rule.
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0
#define HIP_VERSION 60000000
#undef CUDART_VERSION

#define hipHostAlloc cudaHostAlloc
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...) \
  (gpulab_configure(grid, block, shared_bytes, stream), kernel(__VA_ARGS__))
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
// Textures are supported, so this attribute is 1, like that of the unified addresses.
#define hipDeviceAttributeImageSupport cudaDevAttrUnifiedAddressing

GPULAB_INTRINSIC cudaError_t hipInit(unsigned) { return cudaSuccess; }
template <class T>
GPULAB_INTRINSIC cudaError_t cudaHostAlloc(T** memory, size_t bytes) {  // hipHostMalloc
  return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}
GPULAB_INTRINSIC cudaError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, stream);
  return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}
GPULAB_INTRINSIC cudaError_t hipMemcpyHtoD(void* to, const void* from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
GPULAB_INTRINSIC cudaError_t hipMemcpyDtoH(void* to, const void* from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
GPULAB_INTRINSIC cudaError_t hipMemcpyDtoD(void* to, const void* from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
// Returns "hipErrorInvalidValue", which the next call may overwrite.
inline const char* hipGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation: return "hipErrorOutOfMemory";
    case cudaErrorInitializationError: return "hipErrorNotInitialized";
    case cudaErrorCudartUnloading: return "hipErrorDeinitialized";
    case cudaErrorNoKernelImageForDevice: return "hipErrorNoBinaryForGpu";
    case cudaErrorInvalidResourceHandle: return "hipErrorInvalidHandle";
    case cudaErrorSymbolNotFound: return "hipErrorNotFound";
    case cudaErrorLaunchTimeout: return "hipErrorLaunchTimeOut";
    default: break;
  }
  static char name[80];
  snprintf(name, sizeof name, "hip%s", cudaGetErrorName(error) + sizeof "cuda" - 1);
  return name;
}

struct hipDeviceProp_t : cudaDeviceProp {
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate, isLargeBar, gcnArch;
};
inline cudaError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  const cudaError_t error = cudaGetDeviceProperties(properties, device);
  strcpy(properties->gcnArchName, "simulated");
  properties->maxSharedMemoryPerMultiProcessor = properties->sharedMemPerMultiprocessor;
  properties->clockInstructionRate = properties->clockRate;
  properties->isLargeBar = properties->gcnArch = 0;
  return error;
}

// ---- Vectors ----
// Templates, so that a program's own operator is preferred.
#define GPULAB_HIP_VECTOR(vector, scalar, EACH)                                                       \
  GPULAB_HIP_OPERATOR(vector, scalar, EACH, +)                                                        \
  GPULAB_HIP_OPERATOR(vector, scalar, EACH, -)                                                        \
  GPULAB_HIP_OPERATOR(vector, scalar, EACH, *)                                                        \
  GPULAB_HIP_OPERATOR(vector, scalar, EACH, /)                                                        \
  template <int = 0> __host__ __device__ inline vector operator-(vector a) { return vector{} - a; }
#define GPULAB_HIP_OPERATOR(vector, scalar, EACH, op)                                                 \
  template <int = 0> __host__ __device__ inline vector& operator op##=(vector& a, const vector& b) { EACH(a, op##=, b) return a; } \
  template <int = 0> __host__ __device__ inline vector& operator op##=(vector& a, scalar b) { EACH##_SCALAR(a, op##=, b) return a; } \
  template <int = 0> __host__ __device__ inline vector operator op(vector a, const vector& b) { a op##= b; return a; }    \
  template <int = 0> __host__ __device__ inline vector operator op(vector a, scalar b) { a op##= b; return a; }           \
  template <int = 0> __host__ __device__ inline vector operator op(scalar a, const vector& b) {                           \
    vector all;                                                                                       \
    EACH##_SCALAR(all, =, a)                                                                          \
    return all op b;                                                                                  \
  }
#define GPULAB_2(a, op, b) a.x op b.x; a.y op b.y;
#define GPULAB_3(a, op, b) GPULAB_2(a, op, b) a.z op b.z;
#define GPULAB_4(a, op, b) GPULAB_3(a, op, b) a.w op b.w;
#define GPULAB_2_SCALAR(a, op, b) a.x op b; a.y op b;
#define GPULAB_3_SCALAR(a, op, b) GPULAB_2_SCALAR(a, op, b) a.z op b;
#define GPULAB_4_SCALAR(a, op, b) GPULAB_3_SCALAR(a, op, b) a.w op b;
#define GPULAB_HIP_VECTORS(type, scalar)       \
  GPULAB_HIP_VECTOR(type##2, scalar, GPULAB_2) \
  GPULAB_HIP_VECTOR(type##3, scalar, GPULAB_3) \
  GPULAB_HIP_VECTOR(type##4, scalar, GPULAB_4)
GPULAB_HIP_VECTORS(float, float)
GPULAB_HIP_VECTORS(double, double)
GPULAB_HIP_VECTORS(int, int)
GPULAB_HIP_VECTORS(uint, unsigned)
#undef GPULAB_HIP_VECTORS
#undef GPULAB_HIP_VECTOR
#undef GPULAB_HIP_OPERATOR
#undef GPULAB_2
#undef GPULAB_3
#undef GPULAB_4
#undef GPULAB_2_SCALAR
#undef GPULAB_3_SCALAR
#undef GPULAB_4_SCALAR

// ---- Device functions ----
__device__ inline float atomicMin(float* address, float value) {
  float old = *address;
  while (value < old) {
    const float seen = __builtin_bit_cast(
        float, atomicCAS((int*)address, __builtin_bit_cast(int, old), __builtin_bit_cast(int, value)));
    if (seen == old) break;
    old = seen;
  }
  return old;
}
__device__ inline float atomicMax(float* address, float value) {
  float old = *address;
  while (value > old) {
    const float seen = __builtin_bit_cast(
        float, atomicCAS((int*)address, __builtin_bit_cast(int, old), __builtin_bit_cast(int, value)));
    if (seen == old) break;
    old = seen;
  }
  return old;
}
__device__ inline unsigned __bitextract_u32(unsigned value, unsigned offset, unsigned width) {
  return value >> offset % 32 & ((1u << width % 32) - 1);
}
__device__ inline unsigned long long __bitextract_u64(unsigned long long value, unsigned long long offset,
                                                      unsigned long long width) {
  return value >> offset % 64 & ((1ull << width % 64) - 1);
}
__device__ inline unsigned __bitinsert_u32(unsigned value, unsigned bits, unsigned offset, unsigned width) {
  const unsigned mask = (1u << width % 32) - 1;
  return (value & ~(mask << offset % 32)) | (bits & mask) << offset % 32;
}
__device__ inline unsigned long long __bitinsert_u64(unsigned long long value, unsigned long long bits,
                                                     unsigned long long offset, unsigned long long width) {
  const unsigned long long mask = (1ull << width % 64) - 1;
  return (value & ~(mask << offset % 64)) | (bits & mask) << offset % 64;
}
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#define __any(condition) __any_sync(__activemask(), condition)
#define __all(condition) __all_sync(__activemask(), condition)
#define __ballot(condition) ((unsigned long long)__ballot_sync(__activemask(), condition))
#define __lane_id() ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize)
#define unsafeAtomicAdd(...) atomicAdd(__VA_ARGS__)
#define safeAtomicAdd(...) atomicAdd(__VA_ARGS__)
#define atomicAddNoRet(...) ((void)atomicAdd(__VA_ARGS__))
#define __builtin_nontemporal_load(address) (*(address))
#define __builtin_nontemporal_store(value, address) ((void)(*(address) = (value)))
