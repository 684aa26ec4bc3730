#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

// A libamdhip64 whose GPU is the CPU: hipRTC makes shared objects with g++, and a launch runs threads one
// after another, so kernels must not wait for each other. Streams are synchronous. Environment:
//   FAKE_HIP_LOG    a file to which the name of each call is added
//   FAKE_HIP_FAIL   the number of the call that fails, from 1 on, with hipErrorUnknown
//   FAKE_HIP_GPUS   how many GPUs there are, by default 1
//   FAKE_HIP_PRINTS what each launch writes to stdout, as a driver does with what kernels print

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr int success = 0, invalid_value = 1, out_of_memory = 2, no_device = 100, invalid_device = 101;
constexpr int not_found = 500, unknown_error = 999;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

int gpus() {
  const std::string count = variable("FAKE_HIP_GPUS");
  return count.empty() ? 1 : std::atoi(count.c_str());
}

// Records the call, and returns the error that it must end with.
int note(const char* call) {
  static int calls = 0;
  if (const std::string file = variable("FAKE_HIP_LOG"); !file.empty())
    std::ofstream(file, std::ios::app) << call << "\n";
  return ++calls == std::atoi(variable("FAKE_HIP_FAIL").c_str()) ? unknown_error : success;
}

}  // namespace

#define CALL \
  if (const int error = note(__func__)) return error

EXPORTED const char* hipGetErrorName(int error) {
  switch (error) {
    case success:
      return "hipSuccess";
    case invalid_value:
      return "hipErrorInvalidValue";
    case out_of_memory:
      return "hipErrorOutOfMemory";
    case no_device:
      return "hipErrorNoDevice";
    case invalid_device:
      return "hipErrorInvalidDevice";
    case not_found:
      return "hipErrorNotFound";
    default:
      return "hipErrorUnknown";
  }
}

EXPORTED const char* hipGetErrorString(int error) {
  return error == unknown_error ? "the fake was told to fail" : "an error of the fake";
}

EXPORTED int hipInit(unsigned) {
  CALL;
  return gpus() > 0 ? success : invalid_device;
}

EXPORTED int hipDriverGetVersion(int* version) {
  *version = 50221153;
  return note(__func__);
}

EXPORTED int hipRuntimeGetVersion(int* version) {
  *version = 50221153;
  return success;
}

EXPORTED int hipGetDeviceCount(int* count) {
  CALL;
  *count = gpus();
  return gpus() > 0 ? success : no_device;
}

EXPORTED int hipDeviceGet(int* device, int index) {
  *device = index;
  return note(__func__);
}

EXPORTED int hipDeviceGetName(char* name, int bytes, int) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU");
  return note(__func__);
}

// Values of HIP 5's hipDeviceAttribute_t.
EXPORTED int hipDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 56:
      *value = 1024;
      break;
    case 57:
      *value = 2048;
      break;
    case 63:
      *value = 104;
      break;
    case 74:
      *value = 65536;
      break;
    case 87:
      *value = 64;
      break;
    default:
      *value = 0;
  }
  return note(__func__);
}

EXPORTED int hipGetDeviceProperties(void* properties, int) {
  std::memset(properties, 0, 792);  // the size of hipDeviceProp_t, and below the offset of gcnArchName
  std::strcpy(static_cast<char*>(properties) + 396, "gfx90a:sramecc+:xnack-");
  return note(__func__);
}

EXPORTED int hipDevicePrimaryCtxRetain(void** context, int) {
  *context = context;
  return note(__func__);
}
EXPORTED int hipDevicePrimaryCtxRelease(int) {
  return note(__func__);
}
EXPORTED int hipCtxSetCurrent(void*) {
  return success;  // not recorded, since there are too many
}

EXPORTED int hipMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
  *free_bytes = *all_bytes = std::size_t{8} << 30;
  return note(__func__);
}

EXPORTED int hipMalloc(void** memory, std::size_t bytes) {
  CALL;
  *memory = bytes > (std::size_t{8} << 30) ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory ? success : out_of_memory;
}
EXPORTED int hipFree(void* memory) {
  std::free(memory);
  return note(__func__);
}
EXPORTED int hipHostRegister(void*, std::size_t, unsigned) {
  return note(__func__);
}
EXPORTED int hipHostUnregister(void*) {
  return note(__func__);
}

namespace {

int copy(const char* call, void* to, const void* from, std::size_t bytes) {
  if (const int error = note(call)) return error;
  std::memmove(to, from, bytes);
  return success;
}

}  // namespace

EXPORTED int hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes, void*) {
  return copy(__func__, to, from, bytes);
}
EXPORTED int hipMemcpyDtoHAsync(void* to, const void* from, std::size_t bytes, void*) {
  return copy(__func__, to, from, bytes);
}
EXPORTED int hipMemcpyDtoDAsync(void* to, const void* from, std::size_t bytes, void*) {
  return copy(__func__, to, from, bytes);
}
EXPORTED int hipMemsetD8Async(void* to, unsigned char value, std::size_t bytes, void*) {
  CALL;
  std::memset(to, value, bytes);
  return success;
}

// Handles are any address that is not null.
EXPORTED int hipStreamCreateWithFlags(void** stream, unsigned) {
  *stream = std::malloc(1);
  return note(__func__);
}
EXPORTED int hipStreamDestroy(void* stream) {
  std::free(stream);
  return note(__func__);
}
EXPORTED int hipStreamSynchronize(void*) {
  return note(__func__);
}
EXPORTED int hipStreamQuery(void*) {
  return success;
}
EXPORTED int hipStreamWaitEvent(void*, void*, unsigned) {
  return note(__func__);
}
EXPORTED int hipEventCreateWithFlags(void** event, unsigned) {
  *event = std::malloc(1);
  return note(__func__);
}
EXPORTED int hipEventDestroy(void* event) {
  std::free(event);
  return note(__func__);
}
EXPORTED int hipEventRecord(void*, void*) {
  return note(__func__);
}
EXPORTED int hipEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 1;
  return note(__func__);
}

EXPORTED int hipModuleLoad(void** module, const char* file) {
  CALL;
  *module = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  return *module ? success : not_found;
}
EXPORTED int hipModuleUnload(void*) {
  return note(__func__);
}

namespace {

struct Function {
  std::string name;
  void* address = nullptr;
  void (*begin_thread)(const unsigned*) = nullptr;
};

}  // namespace

EXPORTED int hipModuleGetFunction(void** function, void* module, const char* name) {
  CALL;
  auto* const found = new Function{name, ::dlsym(module, name)};
  found->begin_thread = reinterpret_cast<void (*)(const unsigned*)>(::dlsym(module, "fake_hip_begin_thread"));
  *function = found;
  return found->address ? success : not_found;
}

EXPORTED int hipModuleGetGlobal(void** address, std::size_t* bytes, void* module, const char* name) {
  CALL;
  *address = ::dlsym(module, name);
  Dl_info unused;
  void* symbol = nullptr;
  if (!*address || ::dladdr1(*address, &unused, &symbol, RTLD_DL_SYMENT) == 0) return not_found;
  *bytes = static_cast<ElfW(Sym)*>(symbol)->st_size;
  return success;
}

EXPORTED int hipFuncGetAttribute(int* value, int attribute, void*) {
  *value = attribute == 0 ? 1024 : attribute == 4 ? 8 : 0;  // threads of a block, registers
  return note(__func__);
}

EXPORTED int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int block_size,
                                                                std::size_t) {
  *blocks = std::max(1, 2048 / block_size);
  return note(__func__);
}

EXPORTED int hipModuleLaunchKernel(void* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned, void*,
                                   void** arguments, void**) {
  CALL;
  std::fputs(variable("FAKE_HIP_PRINTS").c_str(), stdout);
  const Function& function = *static_cast<Function*>(kernel);
  if (std::size_t{block_x} * block_y * block_z > 1024) return invalid_value;
  int status = 0;
  char* const text = abi::__cxa_demangle(function.name.c_str(), nullptr, nullptr, &status);
  const std::string parameters = text ? text : "";
  std::free(text);
  const auto count = static_cast<std::size_t>(std::count(parameters.begin(), parameters.end(), ',')) + 1;
  std::uint64_t values[6] = {};  // pointers and integers go through registers
  if (count > std::size(values)) return invalid_value;
  for (std::size_t i = 0; i < count; ++i) std::memcpy(&values[i], arguments[i], sizeof values[i]);
  const auto call = reinterpret_cast<void (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                              std::uint64_t, std::uint64_t)>(function.address);
  for (unsigned z = 0; z < grid_z; ++z)
    for (unsigned y = 0; y < grid_y; ++y)
      for (unsigned x = 0; x < grid_x; ++x)
        for (unsigned thread = 0; thread < block_x * block_y * block_z; ++thread) {
          const unsigned place[] = {thread % block_x,
                                    thread / block_x % block_y,
                                    thread / block_x / block_y,
                                    x,
                                    y,
                                    z,
                                    block_x,
                                    block_y,
                                    block_z,
                                    grid_x,
                                    grid_y,
                                    grid_z};
          function.begin_thread(place);
          call(values[0], values[1], values[2], values[3], values[4], values[5]);
        }
  return success;
}

// hipRTC.

namespace {

// Names of HIP for a compiler of the host. Kernels that use more than these do not compile.
constexpr const char* prelude = R"(
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__ __attribute__((visibility("default")))
#define __shared__ static
#define __launch_bounds__(...)
struct uint3 { unsigned x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static uint3 threadIdx, blockIdx, blockDim, gridDim;
extern "C" __attribute__((visibility("default"))) void fake_hip_begin_thread(const unsigned* p) {
  threadIdx = {p[0], p[1], p[2]}, blockIdx = {p[3], p[4], p[5]};
  blockDim = {p[6], p[7], p[8]}, gridDim = {p[9], p[10], p[11]};
}
constexpr int warpSize = 64;
unsigned long long __ballot(int);
#define __builtin_amdgcn_mbcnt_hi(a, b) (b)
#define __builtin_amdgcn_mbcnt_lo(a, b) (b)
#define __builtin_amdgcn_fence(order, scope)
#define __builtin_amdgcn_wave_barrier()
)";

std::string text_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

EXPORTED int hiprtcCreateProgram(void** program, const char* source, const char*, int, const char**,
                                 const char**) {
  std::ofstream("fake.cpp") << prelude << source;
  *program = program;
  return success;
}

EXPORTED int hiprtcCompileProgram(void*, int, const char**) {
  return std::system("g++ -w -std=c++17 -O1 -fPIC -shared fake.cpp -o fake.so 2> fake.log") == 0 ? success
                                                                                                 : 6;
}

EXPORTED int hiprtcGetProgramLogSize(void*, std::size_t* bytes) {
  *bytes = text_of("fake.log").size() + 1;
  return success;
}
EXPORTED int hiprtcGetProgramLog(void*, char* log) {
  std::strcpy(log, text_of("fake.log").c_str());
  return success;
}
EXPORTED int hiprtcGetCodeSize(void*, std::size_t* bytes) {
  *bytes = text_of("fake.so").size();
  return success;
}
EXPORTED int hiprtcGetCode(void*, char* code) {
  const std::string bytes = text_of("fake.so");
  std::memcpy(code, bytes.data(), bytes.size());
  return success;
}
