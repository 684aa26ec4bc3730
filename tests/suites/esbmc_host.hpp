// Takes the place of the CUDA runtime in the host part of a foreign program. The first launch is written as
// JSON into the file that the environment variable LAUNCH names, and ends the program.
#include <cxxabi.h>
#include <unistd.h>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <typeinfo>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __syncthreads()
#define CUDART_PI_F 3.141592654f

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#define VECTORS(T, name) \
  struct name##1 {       \
    T x;                 \
  };                     \
  struct name##2 {       \
    T x, y;              \
  };                     \
  struct name##3 {       \
    T x, y, z;           \
  };                     \
  struct name##4 {       \
    T x, y, z, w;        \
  };
VECTORS(char, char)
VECTORS(unsigned char, uchar)
VECTORS(short, short)
VECTORS(unsigned short, ushort)
VECTORS(int, int) VECTORS(unsigned, uint) VECTORS(float, float)
    VECTORS(double, double) typedef unsigned char uchar;
typedef int cudaError_t;
typedef float cudaEvent_t, cudaStream_t;
enum { cudaSuccess };
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
};

struct Allocation {
  char* begin;
  std::size_t bytes, written;  // from its start
};
inline std::vector<Allocation> allocations;

inline Allocation* allocation_of(const void* pointer) {
  for (Allocation& allocation : allocations)
    if (pointer >= allocation.begin && pointer < allocation.begin + allocation.bytes) return &allocation;
  return nullptr;
}
template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  *pointer = static_cast<T*>(std::calloc(1, bytes + 1));
  allocations.push_back({reinterpret_cast<char*>(*pointer), bytes, 0});
  return 0;
}
inline void mark_written(void* to, std::size_t bytes) {
  Allocation* into = allocation_of(to);
  if (into && to == into->begin && bytes > into->written)
    into->written = bytes < into->bytes ? bytes : into->bytes;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (to && from) std::memcpy(to, from, bytes);
  mark_written(to, bytes);
  return 0;
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  mark_written(to, bytes);
  return 0;
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes) {
  *pointer = static_cast<T*>(std::calloc(1, bytes));
  return 0;
}
template <class... T>
cudaError_t nothing(T&&...) {
  return 0;
}
#define CUDA_SAFE_CALL(call) call
#define CUT_SAFE_CALL(call)
#define CUT_DEVICE_INIT(...)
#define CUT_EXIT(...)
#define CUT_CHECK_ERROR(...)
#define CUT_SAFE_MALLOC(call) call
#define cutStartTimer nothing
#define cutCreateTimer nothing
#define cutStopTimer nothing
#define cudaFree nothing
#define cudaFreeHost nothing
#define cudaSetDevice nothing
#define cudaEventCreate nothing
#define cudaEventRecord nothing
#define cudaEventSynchronize nothing
#define cudaEventDestroy nothing
#define cudaDeviceSynchronize nothing
#define cudaThreadSynchronize nothing
#define cudaGetLastError nothing
#define cudaDeviceReset nothing
inline cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 1, 0;
}
inline const char* cudaGetErrorString(cudaError_t) {
  return "";
}
inline unsigned char __VERIFIER_nondet_uchar() {
  return 1;
}
inline int __VERIFIER_nondet_int() {
  return 1;
}
inline unsigned nondet_uint() {
  return 1;
}
inline int nondet_int() {
  return 1;
}
inline float nondet_float() {
  return 1;
}
#define __ESBMC_assume(condition)
#define __ESBMC_atomic_begin()
#define __ESBMC_atomic_end()

inline std::string hex(const void* data, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(data)[i]);
    text += digits;
  }
  return text;
}

template <class P>
std::string described(P value) {
  char* const name = abi::__cxa_demangle(typeid(P).name(), nullptr, nullptr, nullptr);
  std::string text = "{\"type\": \"" + std::string(name) + "\", ";
  if constexpr (std::is_pointer_v<P>) {
    const Allocation* const from = allocation_of((const void*)value);
    if (!from) return text + (value ? "\"host\": true}" : "\"value\": 0}");
    const std::size_t offset = (const char*)value - from->begin;
    const std::size_t written = from->written > offset ? from->written - offset : 0;
    return text + "\"hex\": \"" + hex((const void*)value, from->bytes - offset) +
           "\", \"written_bytes\": " + std::to_string(written) + "}";
  } else if constexpr (std::is_arithmetic_v<P>) {
    return text + "\"value\": " + std::to_string(value) + "}";
  } else {
    return text + "\"other\": true}";
  }
}

template <class... P>
struct Launcher {
  std::string kernel;
  dim3 grid, block;
  std::size_t shared;
  void operator()(P... arguments) {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + described(arguments)), ...);
    std::FILE* file = std::fopen(std::getenv("LAUNCH"), "w");
    std::fprintf(
        file,
        R"({"kernel": "%s", "grid": [%u, %u, %u], "block": [%u, %u, %u], "shared": %zu, "arguments": [%s]})",
        kernel.c_str(), grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, list.c_str());
    std::fclose(file);
    _exit(0);
  }
};
template <class... P>
Launcher<P...> launcher(const char* kernel, void (*)(P...), dim3 grid, dim3 block, std::size_t shared = 0,
                        int = 0) {
  return {kernel, grid, block, shared};
}
