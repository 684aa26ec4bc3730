#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// A libamdhip64 for a machine with an NVIDIA GPU: HIP's functions forward to those of CUDA's driver, and
// hipRTC to NVRTC. So --device hip runs every lesson on a real GPU: asynchronous, with real events. It shows
// nothing of AMD's GPUs. It is not part of the build:
//
//   mkdir -p rocm/lib
//   g++ -std=c++20 -fPIC -shared -I/usr/local/cuda/include tests/cuda/hip_over_cuda.cpp
//     -L/usr/local/cuda/lib64 -L/usr/local/cuda/lib64/stubs -Wl,-rpath,/usr/local/cuda/lib64
//     -lnvrtc -lcuda -o rocm/lib/libamdhip64.so.5
//   ROCM_PATH=$PWD/rocm FAKE_HIP_SM=sm_90 gpulab reduction --device hip

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define FORWARD(hip, cuda, parameters, arguments) \
  EXPORTED CUresult hip parameters {              \
    return cuda arguments;                        \
  }

FORWARD(hipInit, cuInit, (unsigned flags), (flags))
FORWARD(hipDriverGetVersion, cuDriverGetVersion, (int* version), (version))
FORWARD(hipRuntimeGetVersion, cuDriverGetVersion, (int* version), (version))
FORWARD(hipGetDeviceCount, cuDeviceGetCount, (int* count), (count))
FORWARD(hipDeviceGet, cuDeviceGet, (CUdevice * device, int index), (device, index))
FORWARD(hipDeviceGetName, cuDeviceGetName, (char* name, int bytes, CUdevice device), (name, bytes, device))
FORWARD(hipDeviceGetPCIBusId, cuDeviceGetPCIBusId, (char* id, int bytes, CUdevice device),
        (id, bytes, device))
FORWARD(hipDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),
        (context, device))
FORWARD(hipDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, (CUdevice device), (device))
FORWARD(hipCtxSetCurrent, cuCtxSetCurrent, (CUcontext context), (context))
FORWARD(hipMemGetInfo, cuMemGetInfo, (std::size_t * free, std::size_t* all), (free, all))
FORWARD(hipMalloc, cuMemAlloc, (CUdeviceptr * address, std::size_t bytes), (address, bytes))
FORWARD(hipFree, cuMemFree, (CUdeviceptr address), (address))
FORWARD(hipHostRegister, cuMemHostRegister, (void* memory, std::size_t bytes, unsigned flags),
        (memory, bytes, flags))
FORWARD(hipHostUnregister, cuMemHostUnregister, (void* memory), (memory))
FORWARD(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync,
        (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream), (to, from, bytes, stream))
FORWARD(hipMemcpyDtoHAsync, cuMemcpyDtoHAsync,
        (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream), (to, from, bytes, stream))
FORWARD(hipMemcpyDtoDAsync, cuMemcpyDtoDAsync,
        (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream), (to, from, bytes, stream))
FORWARD(hipMemsetD8Async, cuMemsetD8Async,
        (CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream), (to, value, bytes, stream))
FORWARD(hipStreamCreateWithFlags, cuStreamCreate, (CUstream * stream, unsigned flags), (stream, flags))
FORWARD(hipStreamDestroy, cuStreamDestroy, (CUstream stream), (stream))
FORWARD(hipStreamSynchronize, cuStreamSynchronize, (CUstream stream), (stream))
FORWARD(hipStreamQuery, cuStreamQuery, (CUstream stream), (stream))
FORWARD(hipStreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
        (stream, event, flags))
FORWARD(hipEventCreateWithFlags, cuEventCreate, (CUevent * event, unsigned flags), (event, flags))
FORWARD(hipEventDestroy, cuEventDestroy, (CUevent event), (event))
FORWARD(hipEventRecord, cuEventRecord, (CUevent event, CUstream stream), (event, stream))
FORWARD(hipEventElapsedTime, cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent stop),
        (milliseconds, start, stop))
FORWARD(hipStreamBeginCapture, cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode),
        (stream, mode))
FORWARD(hipStreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph* graph), (stream, graph))
FORWARD(hipThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
        (mode))
FORWARD(hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,
        (CUgraphExec * executable, CUgraph graph, unsigned long long flags), (executable, graph, flags))
FORWARD(hipGraphLaunch, cuGraphLaunch, (CUgraphExec executable, CUstream stream), (executable, stream))
FORWARD(hipGraphDestroy, cuGraphDestroy, (CUgraph graph), (graph))
FORWARD(hipGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec executable), (executable))
FORWARD(hipModuleLoad, cuModuleLoad, (CUmodule * module, const char* file), (module, file))
FORWARD(hipModuleUnload, cuModuleUnload, (CUmodule module), (module))
FORWARD(hipModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name),
        (function, module, name))
FORWARD(hipModuleGetGlobal, cuModuleGetGlobal,
        (CUdeviceptr * address, std::size_t* bytes, CUmodule module, const char* name),
        (address, bytes, module, name))
FORWARD(hipFuncGetAttribute, cuFuncGetAttribute,
        (int* value, CUfunction_attribute attribute, CUfunction function), (value, attribute, function))
FORWARD(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,
        (int* blocks, CUfunction function, int block, std::size_t shared), (blocks, function, block, shared))
FORWARD(hipModuleLaunchKernel, cuLaunchKernel,
        (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
         unsigned shared, CUstream stream, void** arguments, void** extra),
        (function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra))
FORWARD(hipModuleLaunchCooperativeKernel, cuLaunchCooperativeKernel,
        (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
         unsigned shared, CUstream stream, void** arguments),
        (function, gx, gy, gz, bx, by, bz, shared, stream, arguments))

EXPORTED const char* hipGetErrorName(CUresult error) {
  const char* text = "an error without a name";
  cuGetErrorName(error, &text);
  return text;
}

EXPORTED const char* hipGetErrorString(CUresult error) {
  const char* text = "an error without a text";
  cuGetErrorString(error, &text);
  return text;
}

// Values of HIP 5's hipDeviceAttribute_t.
EXPORTED CUresult hipDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  switch (attribute) {
    case 56:
      return cuDeviceGetAttribute(value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
    case 57:
      return cuDeviceGetAttribute(value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
    case 63:
      return cuDeviceGetAttribute(value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    case 74:
      return cuDeviceGetAttribute(value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device);
    case 87:
      return cuDeviceGetAttribute(value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
    default:
      *value = 0;
      return CUDA_SUCCESS;
  }
}

EXPORTED CUresult hipGetDeviceProperties(void* properties, int) {
  std::memset(properties, 0, 792);  // the size of hipDeviceProp_t, and below the offset of gcnArchName
  std::strcpy(static_cast<char*>(properties) + 396, "gfx90a");
  return CUDA_SUCCESS;
}

// hipRTC, in a process of its own.

namespace {

// Names of HIP in CUDA's.
const std::string prelude = R"(
template <class T> __device__ T __shfl(T x, int lane, int width) {
  return __shfl_sync(__activemask(), x, lane, width);
}
template <class T> __device__ T __shfl_up(T x, unsigned delta, int width) {
  return __shfl_up_sync(__activemask(), x, delta, width);
}
template <class T> __device__ T __shfl_down(T x, unsigned delta, int width) {
  return __shfl_down_sync(__activemask(), x, delta, width);
}
template <class T> __device__ T __shfl_xor(T x, int lanes, int width) {
  return __shfl_xor_sync(__activemask(), x, lanes, width);
}
__device__ unsigned long long fake_hip_ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
#define __ballot fake_hip_ballot
__device__ unsigned fake_hip_lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ void fake_hip_syncwarp() { __syncwarp(); }
#define __builtin_amdgcn_mbcnt_hi(a, b) fake_hip_lane()
#define __builtin_amdgcn_fence(order, scope) fake_hip_syncwarp()
#define __builtin_amdgcn_wave_barrier()
)";

}  // namespace

EXPORTED int hiprtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int,
                                 const char**, const char**) {
  return nvrtcCreateProgram(program, (prelude + source).c_str(), name, 0, nullptr, nullptr);
}

EXPORTED int hiprtcCompileProgram(nvrtcProgram program, int, const char**) {
  const char* const wanted = std::getenv("FAKE_HIP_SM");
  const std::string architecture = std::string("--gpu-architecture=") + (wanted ? wanted : "sm_90");
  const char* const options[] = {architecture.c_str(), "-std=c++17", "-I.", "-diag-error=549", "--no-cache"};
  return nvrtcCompileProgram(program, 5, options);
}

EXPORTED int hiprtcGetProgramLogSize(nvrtcProgram program, std::size_t* bytes) {
  return nvrtcGetProgramLogSize(program, bytes);
}
EXPORTED int hiprtcGetProgramLog(nvrtcProgram program, char* log) {
  return nvrtcGetProgramLog(program, log);
}
EXPORTED int hiprtcGetCodeSize(nvrtcProgram program, std::size_t* bytes) {
  return nvrtcGetCUBINSize(program, bytes);
}
EXPORTED int hiprtcGetCode(nvrtcProgram program, char* code) {
  return nvrtcGetCUBIN(program, code);
}
