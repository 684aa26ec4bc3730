#pragma once

#include <cuda.h>
#include <string>

#include "device/device.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// A kernel that does not end makes every later call wait for ever, so the driver is left alone from then on:
// calls answer CUDA_ERROR_LAUNCH_TIMEOUT at once, and the process ends without tidying up.
void abandon_driver();
bool driver_is_abandoned() noexcept;

// The process ends without tidying up, for a thread of it is in a library and does not come back.
void leave_without_tidying();

// One function of the CUDA driver. The name is the exported one, such as cuMemAlloc_v2.
template <class Function>
class DriverFunction;

template <class... Arguments>
class DriverFunction<CUresult(Arguments...)> {
 public:
  DriverFunction(const device::DynamicLibrary& library, const char* name) : name_(name) {
    library.find(function_, name);
  }

  // Throws DeviceError unless the driver answers CUDA_SUCCESS.
  void operator()(Arguments... arguments) const;

  // Returns what the driver answers.
  CUresult attempt(Arguments... arguments) const noexcept {
    return driver_is_abandoned() ? CUDA_ERROR_LAUNCH_TIMEOUT : function_(arguments...);
  }

 private:
  const char* name_;
  CUresult (*function_)(Arguments...) = nullptr;
};

// The functions that this program calls, found in libcuda at run time, so that nothing links to it.
struct DriverApi {
  device::DynamicLibrary library{{"libcuda.so.1"}};

  DriverFunction<decltype(cuGetErrorName)> error_name{library, "cuGetErrorName"};
  DriverFunction<decltype(cuGetErrorString)> error_string{library, "cuGetErrorString"};
  DriverFunction<decltype(cuInit)> init{library, "cuInit"};
  DriverFunction<decltype(cuDriverGetVersion)> version{library, "cuDriverGetVersion"};

  DriverFunction<decltype(cuDeviceGetCount)> device_count{library, "cuDeviceGetCount"};
  DriverFunction<decltype(cuDeviceGet)> device_at{library, "cuDeviceGet"};
  DriverFunction<decltype(cuDeviceGetName)> device_name{library, "cuDeviceGetName"};
  DriverFunction<decltype(cuDeviceGetAttribute)> device_attribute{library, "cuDeviceGetAttribute"};

  DriverFunction<decltype(cuDeviceGetPCIBusId)> pci_bus_id{library, "cuDeviceGetPCIBusId"};

  DriverFunction<decltype(cuDevicePrimaryCtxRetain)> retain_context{library, "cuDevicePrimaryCtxRetain"};
  DriverFunction<decltype(cuDevicePrimaryCtxRelease)> release_context{library,
                                                                      "cuDevicePrimaryCtxRelease_v2"};
  DriverFunction<decltype(cuCtxSetCurrent)> set_current_context{library, "cuCtxSetCurrent"};
  DriverFunction<decltype(cuCtxResetPersistingL2Cache)> reset_persisting_l2{library,
                                                                            "cuCtxResetPersistingL2Cache"};

  DriverFunction<decltype(cuDeviceCanAccessPeer)> can_access_peer{library, "cuDeviceCanAccessPeer"};
  DriverFunction<decltype(cuCtxEnablePeerAccess)> enable_peer_access{library, "cuCtxEnablePeerAccess"};
  DriverFunction<decltype(cuMemcpyPeerAsync)> copy_to_peer{library, "cuMemcpyPeerAsync"};

  DriverFunction<decltype(cuMemGetInfo)> memory_info{library, "cuMemGetInfo_v2"};
  DriverFunction<decltype(cuMemAlloc)> allocate{library, "cuMemAlloc_v2"};
  DriverFunction<decltype(cuMemFree)> free{library, "cuMemFree_v2"};
  DriverFunction<decltype(cuMemHostRegister)> register_host{library, "cuMemHostRegister_v2"};
  DriverFunction<decltype(cuMemHostUnregister)> unregister_host{library, "cuMemHostUnregister"};
  DriverFunction<decltype(cuMemcpyHtoDAsync)> copy_to_device{library, "cuMemcpyHtoDAsync_v2"};
  DriverFunction<decltype(cuMemcpyDtoHAsync)> copy_to_host{library, "cuMemcpyDtoHAsync_v2"};
  DriverFunction<decltype(cuMemcpyDtoDAsync)> copy_within{library, "cuMemcpyDtoDAsync_v2"};
  DriverFunction<decltype(cuMemsetD8Async)> set_bytes{library, "cuMemsetD8Async"};

  DriverFunction<decltype(cuStreamCreate)> create_stream{library, "cuStreamCreate"};
  DriverFunction<decltype(cuStreamDestroy)> destroy_stream{library, "cuStreamDestroy_v2"};
  DriverFunction<decltype(cuStreamSynchronize)> synchronize_stream{library, "cuStreamSynchronize"};
  DriverFunction<decltype(cuStreamQuery)> query_stream{library, "cuStreamQuery"};
  DriverFunction<decltype(cuStreamWaitEvent)> wait_for_event{library, "cuStreamWaitEvent"};
  DriverFunction<decltype(cuEventCreate)> create_event{library, "cuEventCreate"};
  DriverFunction<decltype(cuEventDestroy)> destroy_event{library, "cuEventDestroy_v2"};
  DriverFunction<decltype(cuEventRecord)> record_event{library, "cuEventRecord"};
  DriverFunction<decltype(cuEventElapsedTime)> elapsed_time{library, "cuEventElapsedTime"};

  DriverFunction<decltype(cuStreamBeginCapture)> begin_capture{library, "cuStreamBeginCapture_v2"};
  DriverFunction<decltype(cuStreamEndCapture)> end_capture{library, "cuStreamEndCapture"};
  DriverFunction<decltype(cuThreadExchangeStreamCaptureMode)> exchange_capture_mode{
      library, "cuThreadExchangeStreamCaptureMode"};
  DriverFunction<decltype(cuGraphInstantiateWithFlags)> instantiate_graph{library,
                                                                          "cuGraphInstantiateWithFlags"};
  DriverFunction<decltype(cuGraphLaunch)> launch_graph{library, "cuGraphLaunch"};
  DriverFunction<decltype(cuGraphDestroy)> destroy_graph{library, "cuGraphDestroy"};
  DriverFunction<decltype(cuGraphExecDestroy)> destroy_ready_graph{library, "cuGraphExecDestroy"};

  DriverFunction<decltype(cuModuleLoad)> load_module{library, "cuModuleLoad"};
  DriverFunction<decltype(cuModuleUnload)> unload_module{library, "cuModuleUnload"};
  DriverFunction<decltype(cuModuleGetFunction)> module_function{library, "cuModuleGetFunction"};
  DriverFunction<decltype(cuModuleGetGlobal)> module_variable{library, "cuModuleGetGlobal_v2"};
  DriverFunction<decltype(cuFuncGetAttribute)> function_attribute{library, "cuFuncGetAttribute"};
  DriverFunction<decltype(cuFuncSetAttribute)> set_function_attribute{library, "cuFuncSetAttribute"};
  DriverFunction<decltype(cuOccupancyMaxActiveBlocksPerMultiprocessor)> occupancy{
      library, "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  DriverFunction<decltype(cuLaunchKernel)> launch{library, "cuLaunchKernel"};
  DriverFunction<decltype(cuLaunchCooperativeKernel)> launch_cooperative{library,
                                                                         "cuLaunchCooperativeKernel"};
};

// The driver of this machine, opened at the first call. Throws DeviceError when there is none.
const DriverApi& driver_api();

// CUDA's own words: CUDA_ERROR_OUT_OF_MEMORY, out of memory.
std::string error_name(CUresult result);
std::string error_text(CUresult result);

[[noreturn]] void throw_device_error(CUresult result, std::string exported_name);

template <class... Arguments>
void DriverFunction<CUresult(Arguments...)>::operator()(Arguments... arguments) const {
  const CUresult result = attempt(arguments...);
  if (result != CUDA_SUCCESS) throw_device_error(result, name_);
}

}  // namespace gpulab::cuda
