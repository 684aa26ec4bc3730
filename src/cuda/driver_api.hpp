#pragma once

#include <cuda.h>
#include <memory>
#include <stdexcept>
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

// Vendors of GPUs, each with its own driver. HIP's functions are those of CUDA's driver under other names,
// with the same parameters, errors and attributes of functions.
enum class Vendor { nvidia, amd };

struct DriverApi;

// One function of a driver. The name is the one that CUDA's driver exports, such as cuMemAlloc_v2. A function
// that HIP lacks returns CUDA_ERROR_NOT_SUPPORTED.
template <class Function>
class DriverFunction;

template <class... Arguments>
class DriverFunction<CUresult(Arguments...)> {
 public:
  DriverFunction(const DriverApi& api, const char* cuda_name);

  // Calls it. Throws DeviceError unless the driver returns CUDA_SUCCESS.
  void operator()(Arguments... arguments) const;

  // Calls it and returns the driver's result.
  CUresult attempt(Arguments... arguments) const noexcept {
    if (driver_is_abandoned()) return CUDA_ERROR_LAUNCH_TIMEOUT;
    return function_ ? function_(arguments...) : CUDA_ERROR_NOT_SUPPORTED;
  }

  // Throws DeviceError for that result, with the driver's text and then `more`.
  [[noreturn]] void fail(CUresult result, const std::string& more = "") const;

  // Returns its name in messages: "cuMemAlloc", "hipMalloc".
  const std::string& name() const { return name_; }

 private:
  const DriverApi& api_;
  CUresult (*function_)(Arguments...) = nullptr;
  std::string name_;
};

// Driver functions that gpulab calls, found in libcuda or libamdhip64 at run time, without linking to them.
struct DriverApi {
  explicit DriverApi(Vendor maker);

  const Vendor vendor;
  const device::DynamicLibrary library;

  // Return the driver's name of an error ("CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory") and its text.
  std::string name_of(CUresult result) const;
  std::string text_of(CUresult result) const;

  // Points `function` to the one with that name in CUDA, null if HIP lacks it. Returns its name in messages.
  template <class Function>
  std::string find(Function*& function, const std::string& cuda_name) const;

  DriverFunction<decltype(cuGetErrorName)> error_name{*this, "cuGetErrorName"};
  DriverFunction<decltype(cuGetErrorString)> error_string{*this, "cuGetErrorString"};
  DriverFunction<decltype(cuInit)> init{*this, "cuInit"};
  DriverFunction<decltype(cuDriverGetVersion)> version{*this, "cuDriverGetVersion"};

  DriverFunction<decltype(cuDeviceGetCount)> device_count{*this, "cuDeviceGetCount"};
  DriverFunction<decltype(cuDeviceGet)> device_at{*this, "cuDeviceGet"};
  DriverFunction<decltype(cuDeviceGetName)> device_name{*this, "cuDeviceGetName"};
  DriverFunction<decltype(cuDeviceGetAttribute)> device_attribute{*this, "cuDeviceGetAttribute"};

  DriverFunction<decltype(cuDeviceGetPCIBusId)> pci_bus_id{*this, "cuDeviceGetPCIBusId"};

  DriverFunction<decltype(cuDevicePrimaryCtxRetain)> retain_context{*this, "cuDevicePrimaryCtxRetain"};
  DriverFunction<decltype(cuDevicePrimaryCtxRelease)> release_context{*this, "cuDevicePrimaryCtxRelease_v2"};
  DriverFunction<decltype(cuCtxSetCurrent)> set_current_context{*this, "cuCtxSetCurrent"};
  DriverFunction<decltype(cuCtxResetPersistingL2Cache)> reset_persisting_l2{*this,
                                                                            "cuCtxResetPersistingL2Cache"};

  DriverFunction<decltype(cuDeviceCanAccessPeer)> can_access_peer{*this, "cuDeviceCanAccessPeer"};
  DriverFunction<decltype(cuCtxEnablePeerAccess)> enable_peer_access{*this, "cuCtxEnablePeerAccess"};
  DriverFunction<decltype(cuMemcpyPeerAsync)> copy_to_peer{*this, "cuMemcpyPeerAsync"};

  DriverFunction<decltype(cuMemGetInfo)> memory_info{*this, "cuMemGetInfo_v2"};
  DriverFunction<decltype(cuMemAlloc)> allocate{*this, "cuMemAlloc_v2"};
  DriverFunction<decltype(cuMemFree)> free{*this, "cuMemFree_v2"};
  DriverFunction<decltype(cuMemHostRegister)> register_host{*this, "cuMemHostRegister_v2"};
  DriverFunction<decltype(cuMemHostUnregister)> unregister_host{*this, "cuMemHostUnregister"};
  DriverFunction<decltype(cuMemcpyHtoDAsync)> copy_to_device{*this, "cuMemcpyHtoDAsync_v2"};
  DriverFunction<decltype(cuMemcpyDtoHAsync)> copy_to_host{*this, "cuMemcpyDtoHAsync_v2"};
  DriverFunction<decltype(cuMemcpyDtoDAsync)> copy_within{*this, "cuMemcpyDtoDAsync_v2"};
  DriverFunction<decltype(cuMemsetD8Async)> set_bytes{*this, "cuMemsetD8Async"};

  DriverFunction<decltype(cuStreamCreate)> create_stream{*this, "cuStreamCreate"};
  DriverFunction<decltype(cuStreamDestroy)> destroy_stream{*this, "cuStreamDestroy_v2"};
  DriverFunction<decltype(cuStreamSynchronize)> synchronize_stream{*this, "cuStreamSynchronize"};
  DriverFunction<decltype(cuStreamQuery)> query_stream{*this, "cuStreamQuery"};
  DriverFunction<decltype(cuStreamWaitEvent)> wait_for_event{*this, "cuStreamWaitEvent"};
  DriverFunction<decltype(cuEventCreate)> create_event{*this, "cuEventCreate"};
  DriverFunction<decltype(cuEventDestroy)> destroy_event{*this, "cuEventDestroy_v2"};
  DriverFunction<decltype(cuEventRecord)> record_event{*this, "cuEventRecord"};
  DriverFunction<decltype(cuEventElapsedTime)> elapsed_time{*this, "cuEventElapsedTime"};

  DriverFunction<decltype(cuStreamBeginCapture)> begin_capture{*this, "cuStreamBeginCapture_v2"};
  DriverFunction<decltype(cuStreamEndCapture)> end_capture{*this, "cuStreamEndCapture"};
  DriverFunction<decltype(cuThreadExchangeStreamCaptureMode)> exchange_capture_mode{
      *this, "cuThreadExchangeStreamCaptureMode"};
  DriverFunction<decltype(cuGraphInstantiateWithFlags)> instantiate_graph{*this,
                                                                          "cuGraphInstantiateWithFlags"};
  DriverFunction<decltype(cuGraphLaunch)> launch_graph{*this, "cuGraphLaunch"};
  DriverFunction<decltype(cuGraphDestroy)> destroy_graph{*this, "cuGraphDestroy"};
  DriverFunction<decltype(cuGraphExecDestroy)> destroy_graph_exec{*this, "cuGraphExecDestroy"};

  DriverFunction<decltype(cuModuleLoad)> load_module{*this, "cuModuleLoad"};
  DriverFunction<decltype(cuModuleUnload)> unload_module{*this, "cuModuleUnload"};
  DriverFunction<decltype(cuModuleGetFunction)> module_function{*this, "cuModuleGetFunction"};
  DriverFunction<decltype(cuModuleGetGlobal)> module_variable{*this, "cuModuleGetGlobal_v2"};
  DriverFunction<decltype(cuFuncGetAttribute)> function_attribute{*this, "cuFuncGetAttribute"};
  DriverFunction<decltype(cuFuncSetAttribute)> set_function_attribute{*this, "cuFuncSetAttribute"};
  DriverFunction<decltype(cuOccupancyMaxActiveBlocksPerMultiprocessor)> occupancy{
      *this, "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  DriverFunction<decltype(cuLaunchKernel)> launch{*this, "cuLaunchKernel"};
  DriverFunction<decltype(cuLaunchCooperativeKernel)> launch_cooperative{*this, "cuLaunchCooperativeKernel"};
};

// Returns the driver of this machine, opened at the first call. Throws DeviceError if there is none.
const DriverApi& driver_api(Vendor vendor = Vendor::nvidia);

// Returns HIP's name of a function of CUDA's driver.
std::string hip_name(const std::string& cuda_name);

template <class Function>
std::string DriverApi::find(Function*& function, const std::string& cuda_name) const {
  if (vendor == Vendor::nvidia) {
    library.find(function, cuda_name.c_str());
    return cuda_name.ends_with("_v2") ? cuda_name.substr(0, cuda_name.size() - 3) : cuda_name;
  }
  const std::string name = hip_name(cuda_name);
  try {
    library.find(function, name.c_str());
  } catch (const std::runtime_error&) {
    function = nullptr;
  }
  return name;
}

template <class... Arguments>
DriverFunction<CUresult(Arguments...)>::DriverFunction(const DriverApi& api, const char* cuda_name)
    : api_(api), name_(api.find(function_, cuda_name)) {}

template <class... Arguments>
void DriverFunction<CUresult(Arguments...)>::operator()(Arguments... arguments) const {
  const CUresult result = attempt(arguments...);
  if (result != CUDA_SUCCESS) fail(result);
}

template <class... Arguments>
void DriverFunction<CUresult(Arguments...)>::fail(CUresult result, const std::string& more) const {
  throw device::DeviceError(name_, api_.name_of(result), api_.text_of(result) + more);
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
  unsigned long quads_;  // the buffer's length in uint4
  device::DeviceMemory buffer_;
  bool buffer_is_filled_ = false;
};

// The primary context of one GPU. Every object that is made in it shares ownership of it, so the context is
// released last.
class CudaContext {
 public:
  // Initialises the driver: a process forked after that cannot use CUDA. Throws DeviceError if there is no
  // driver, no GPU, or none with that index.
  explicit CudaContext(int index, Vendor vendor = Vendor::nvidia);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // Makes the context current on the calling thread and returns the driver, ready for a call. If that fails,
  // the call itself reports why.
  const DriverApi& enter() const noexcept;

  const DriverApi& driver() const { return driver_; }
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
int count_devices(const DriverApi& driver);

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
  // Loads a cubin that was compiled from that file.
  CudaModule(std::shared_ptr<const CudaContext> context, std::string file, CachedCubin cubin);
  ~CudaModule() override;
  std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature& signature) override;
  device::DeviceSymbol symbol(const std::string& name) override;
  std::vector<device::DeviceSymbol> writable_variables() override;

 private:
  std::shared_ptr<const CudaContext> context_;
  std::string file_;
  CachedCubin cubin_;
  CUmodule module_ = nullptr;
};

}  // namespace gpulab::cuda
