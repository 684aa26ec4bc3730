#pragma once

#include <memory>
#include <string>

#include "cuda/driver_api.hpp"
#include "cuda/nvrtc.hpp"
#include "device/device.hpp"

namespace gpulab::cuda {

// Empties the caches of a device by reading a buffer twice as large as its L2 cache. Reading leaves clean
// lines; writing would leave lines that the next kernel has to pay for writing back.
class CacheEviction {
 public:
  // Compiles the reading kernel and allocates the buffer, of 2 * l2_bytes (64 MiB where the device does not
  // tell its l2_bytes).
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

// The primary context of one GPU. Everything that lives in it shares the ownership, so that it goes last.
class CudaContext {
 public:
  // Initialises the driver: a process forked after that cannot use CUDA. Throws DeviceError when there is no
  // driver, no GPU, or none with that index.
  explicit CudaContext(int index);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // Makes the context current on the calling thread and returns the driver, ready for a call. When that
  // fails, the call itself answers why.
  const DriverApi& enter() const noexcept;

  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }

 private:
  const DriverApi& driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

// Where that device lives. Throws DeviceError when it is no GPU.
const std::shared_ptr<const CudaContext>& context_of(const device::Device& device);

// How many GPUs the driver offers. Throws DeviceError when there is no driver or no GPU.
int count_cuda_devices();

// A stream that does not wait for the default stream.
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

// Work that was captured, made ready to be launched.
class CudaGraph : public device::Graph {
 public:
  // Ends the capture of that stream. Throws DeviceError when something of it could not be captured.
  CudaGraph(std::shared_ptr<const CudaContext> context, CUstream stream);
  ~CudaGraph() override;
  CUgraphExec handle() const { return ready_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUgraphExec ready_ = nullptr;
};

class CudaKernel : public device::Kernel {
 public:
  // What the driver does not tell of a kernel is in what its compiler reported.
  CudaKernel(std::shared_ptr<const CudaContext> context, CUfunction function,
             device::KernelAttributes reported)
      : context_(std::move(context)), function_(function), reported_(reported) {}
  device::KernelAttributes attributes() const override;
  CUfunction handle() const { return function_; }

  // To be called before a launch or a question about one: lets the kernel have so much dynamic shared memory
  // where that is more than it may have unasked, and not more than the device has for a block.
  void ask_for_shared(std::size_t dynamic_bytes, const DeviceProperties& device) const;

 private:
  std::shared_ptr<const CudaContext> context_;
  CUfunction function_;
  device::KernelAttributes reported_;
};

class CudaModule : public device::Module {
 public:
  // Loads machine code from a file; source is the name of the text that it was compiled from.
  CudaModule(std::shared_ptr<const CudaContext> context, std::string source, CachedCubin cubin);
  ~CudaModule() override;
  std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature& signature) override;
  device::DeviceSymbol symbol(const std::string& name) override;

 private:
  std::shared_ptr<const CudaContext> context_;
  std::string source_;
  CachedCubin cubin_;
  CUmodule module_ = nullptr;
};

}  // namespace gpulab::cuda
