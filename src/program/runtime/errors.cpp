#include "program/runtime/errors.hpp"

#include <execinfo.h>
#include <algorithm>
#include <iterator>
#include <map>

#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::program::runtime {
namespace {

struct KnownError {
  cudaError_t error;
  const char *name, *text, *driver_name;
};

#define GPULAB_ERROR(name, text, driver_name) \
  { name, #name, text, driver_name }
constexpr KnownError errors[] = {
    GPULAB_ERROR(cudaSuccess, "no error", "CUDA_SUCCESS"),
    GPULAB_ERROR(cudaErrorInvalidValue, "invalid argument", "CUDA_ERROR_INVALID_VALUE"),
    GPULAB_ERROR(cudaErrorMemoryAllocation, "out of memory", "CUDA_ERROR_OUT_OF_MEMORY"),
    GPULAB_ERROR(cudaErrorInitializationError, "initialization error", "CUDA_ERROR_NOT_INITIALIZED"),
    GPULAB_ERROR(cudaErrorCudartUnloading, "driver shutting down", "CUDA_ERROR_DEINITIALIZED"),
    GPULAB_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument", ""),
    GPULAB_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument", ""),
    GPULAB_ERROR(cudaErrorInvalidSymbol, "invalid device symbol", ""),
    GPULAB_ERROR(cudaErrorInvalidHostPointer, "invalid host pointer", ""),
    GPULAB_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer", ""),
    GPULAB_ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor", ""),
    GPULAB_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy", ""),
    GPULAB_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version",
                 ""),
    GPULAB_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured", ""),
    GPULAB_ERROR(cudaErrorPriorLaunchFailure, "unspecified launch failure in prior launch", ""),
    GPULAB_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function", ""),
    GPULAB_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected", "CUDA_ERROR_NO_DEVICE"),
    GPULAB_ERROR(cudaErrorInvalidDevice, "invalid device ordinal", "CUDA_ERROR_INVALID_DEVICE"),
    GPULAB_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid", "CUDA_ERROR_INVALID_IMAGE"),
    GPULAB_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device",
                 ""),
    GPULAB_ERROR(cudaErrorUnsupportedLimit, "limit is not supported on this architecture", ""),
    GPULAB_ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices",
                 "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
    GPULAB_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle", "CUDA_ERROR_INVALID_HANDLE"),
    GPULAB_ERROR(cudaErrorSymbolNotFound, "named symbol not found", "CUDA_ERROR_NOT_FOUND"),
    GPULAB_ERROR(cudaErrorNotReady, "device not ready", "CUDA_ERROR_NOT_READY"),
    GPULAB_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered",
                 "CUDA_ERROR_ILLEGAL_ADDRESS"),
    GPULAB_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch",
                 "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    GPULAB_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated",
                 "CUDA_ERROR_LAUNCH_TIMEOUT"),
    GPULAB_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled", ""),
    GPULAB_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled", ""),
    GPULAB_ERROR(cudaErrorSetOnActiveProcess, "cannot set while device is active in this process", ""),
    GPULAB_ERROR(cudaErrorAssert, "device-side assert triggered", "CUDA_ERROR_ASSERT"),
    GPULAB_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                 "part or all of the requested memory range is already mapped", ""),
    GPULAB_ERROR(cudaErrorHostMemoryNotRegistered,
                 "pointer does not correspond to a registered memory region", ""),
    GPULAB_ERROR(cudaErrorMisalignedAddress, "misaligned address", "CUDA_ERROR_MISALIGNED_ADDRESS"),
    GPULAB_ERROR(cudaErrorLaunchFailure, "unspecified launch failure", "CUDA_ERROR_LAUNCH_FAILED"),
    GPULAB_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch", ""),
    GPULAB_ERROR(cudaErrorNotPermitted, "operation not permitted", "CUDA_ERROR_NOT_PERMITTED"),
    GPULAB_ERROR(cudaErrorNotSupported, "operation not supported", "CUDA_ERROR_NOT_SUPPORTED"),
    GPULAB_ERROR(cudaErrorUnknown, "unknown error", "")};
#undef GPULAB_ERROR

const KnownError* known(cudaError_t error) {
  const auto found = std::ranges::find(errors, error, &KnownError::error);
  return found == std::end(errors) ? nullptr : &*found;
}

}  // namespace

cudaError_t cuda_error_of(std::string_view driver_name) {
  for (const KnownError& error : errors)
    if (driver_name == error.driver_name) return error.error;
  return cudaErrorUnknown;
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

// They say which error it is, so somebody has looked at it.
const char* cudaGetErrorName(cudaError_t error) {
  const auto* const found = known(error);
  return found ? found->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  Call().runtime().looked_at(error);
  const auto* const found = known(error);
  return found ? found->text : "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  return Call().runtime().last_error(true);
}

cudaError_t cudaPeekAtLastError() {
  return Call().runtime().last_error(false);
}

namespace gpulab::program::runtime {

SourcePlace place_of(Site site) {
  static auto& known =
      *new std::map<std::uintptr_t, SourcePlace>;  // also for what is said when the process ends
  if (site.code == 0) return {};
  const auto [at, is_new] = known.try_emplace(site.code);
  if (is_new) {
    const std::string line = simulator::watch::source_line(site.code - 1);  // of the call, before it returns
    at->second = {simulator::watch::other_file(line), simulator::watch::line_number(line)};
  }
  return at->second;
}

Site site_in_program(std::uintptr_t instruction) {
  const auto* const module = Runtime::instance().module();
  if (!module) return {};
  if (module->contains_code(instruction)) return {instruction + 1};
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  for (int i = 0; i < count; ++i)
    if (const auto code = reinterpret_cast<std::uintptr_t>(frames[i]); module->contains_code(code))
      return {code};
  return {};
}

}  // namespace gpulab::program::runtime
