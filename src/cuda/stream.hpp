#pragma once

#include <memory>

#include "cuda/driver_api.hpp"

namespace gpulab::cuda {

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

}  // namespace gpulab::cuda
