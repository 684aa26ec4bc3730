#pragma once

#include <cuda.h>
#include <memory>
#include <string>

#include "cuda/nvrtc.hpp"
#include "device/device.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// Stops using the driver after a kernel that does not end, since every later call would wait for ever: calls
// return CUDA_ERROR_LAUNCH_TIMEOUT at once, and the process ends without cleanup.
void abandon_driver();
bool driver_is_abandoned() noexcept;

// Makes the process end without cleanup, because one of its threads hangs in a library.
void skip_cleanup_at_exit();

// One function of the CUDA driver. The name is the exported one, such as cuMemAlloc_v2.
template <class Function>
class DriverFunction;

template <class... Arguments>
class DriverFunction<CUresult(Arguments...)> {
 public:
  DriverFunction(const device::DynamicLibrary& library, const char* name) : name_(name) {
    library.find(function_, name);
  }

  // Calls it. Throws DeviceError unless the driver returns CUDA_SUCCESS.
  void operator()(Arguments... arguments) const;

  // Calls it and returns the driver's result.
  CUresult attempt(Arguments... arguments) const noexcept {
    return driver_is_abandoned() ? CUDA_ERROR_LAUNCH_TIMEOUT : function_(arguments...);
  }

 private:
  const char* name_;
  CUresult (*function_)(Arguments...) = nullptr;
};

// Driver functions that gpulab calls, found in libcuda at run time, so that nothing links to it.
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
  DriverFunction<decltype(cuGraphExecDestroy)> destroy_graph_exec{library, "cuGraphExecDestroy"};

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

// Returns the driver of this machine, opened at the first call. Throws DeviceError if there is none.
const DriverApi& driver_api();

// Return CUDA's own words: CUDA_ERROR_OUT_OF_MEMORY, out of memory.
std::string error_name(CUresult result);
std::string error_text(CUresult result);

[[noreturn]] void throw_device_error(CUresult result, std::string exported_name);

template <class... Arguments>
void DriverFunction<CUresult(Arguments...)>::operator()(Arguments... arguments) const {
  const CUresult result = attempt(arguments...);
  if (result != CUDA_SUCCESS) throw_device_error(result, name_);
}

// Eviction of a device's caches by reading a buffer twice as large as its L2 cache. Reading leaves clean
// lines; after writing, the next kernel would have to pay for the write-back.
class CacheEviction {
 public:
  // Compiles the reading kernel and allocates the buffer, of 2 * l2_bytes (64 MiB if l2_bytes is unknown).
  explicit CacheEviction(device::Device& device);
  CacheEviction(const CacheEviction&) = delete;
  CacheEviction& operator=(const CacheEviction&) = delete;

  void run(device::Stream& stream);

 private:
  device::Device& device_;
  std::unique_ptr<device::Module> module_;
  std::unique_ptr<device::Kernel> kernel_;
  LaunchConfig config_;
  unsigned long quads_;
  device::DeviceMemory buffer_;
  bool buffer_is_filled_ = false;
};

// The primary context of one GPU. Everything made in it shares its ownership, so the context is released
// last.
class CudaContext {
 public:
  // Initialises the driver: a process forked after that cannot use CUDA. Throws DeviceError if there is no
  // driver, no GPU, or none with that index.
  explicit CudaContext(int index);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // Makes the context current on the calling thread and returns the driver, ready for a call. If that fails,
  // the call itself reports why.
  const DriverApi& enter() const noexcept;

  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }

 private:
  const DriverApi& driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

// Returns the context of the device. Throws DeviceError if it is not a GPU.
const std::shared_ptr<const CudaContext>& context_of(const device::Device& device);

// Returns how many GPUs the driver offers. Throws DeviceError if there is no driver or no GPU.
int count_cuda_devices();

// A non-blocking stream, which does not wait for the default stream.
class CudaStream : public device::Stream {
 public:
  explicit CudaStream(std::shared_ptr<const CudaContext> context);
  ~CudaStream() override;
  CUstream handle() const { return stream_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUstream stream_ = nullptr;
};

class CudaEvent : public device::Event {
 public:
  explicit CudaEvent(std::shared_ptr<const CudaContext> context);
  ~CudaEvent() override;
  CUevent handle() const { return event_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUevent event_ = nullptr;
};

// Captured work, instantiated so that it can be launched.
class CudaGraph : public device::Graph {
 public:
  // Ends the capture of that stream. Throws DeviceError if part of the work could not be captured.
  CudaGraph(std::shared_ptr<const CudaContext> context, CUstream stream);
  ~CudaGraph() override;
  CUgraphExec handle() const { return executable_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUgraphExec executable_ = nullptr;
};

class CudaKernel : public device::Kernel {
 public:
  // Takes the attributes that the compiler reports and the driver does not.
  CudaKernel(std::shared_ptr<const CudaContext> context, CUfunction function,
             device::KernelAttributes reported)
      : context_(std::move(context)), function_(function), reported_(reported) {}
  device::KernelAttributes attributes() const override;
  CUfunction handle() const { return function_; }

  // Allows the kernel that much dynamic shared memory if it is more than the default and no more than the
  // device has for a block. To be called before a launch or an occupancy query; asks the driver once.
  void allow_dynamic_shared(std::size_t dynamic_bytes, const DeviceProperties& device) const;

 private:
  std::shared_ptr<const CudaContext> context_;
  CUfunction function_;
  device::KernelAttributes reported_;
  mutable std::size_t allowed_dynamic_bytes_ = 0;
};

class CudaModule : public device::Module {
 public:
  // Loads a cubin; source is the name of the text that it was compiled from.
  CudaModule(std::shared_ptr<const CudaContext> context, std::string source, CachedCubin cubin);
  ~CudaModule() override;
  std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature& signature) override;
  device::DeviceSymbol symbol(const std::string& name) override;
  std::vector<device::DeviceSymbol> writable_variables() override;

 private:
  std::shared_ptr<const CudaContext> context_;
  std::string source_;
  CachedCubin cubin_;
  CUmodule module_ = nullptr;
};

}  // namespace gpulab::cuda
