#pragma once

#include <memory>
#include <string>

#include "cuda/compiled_attributes.hpp"
#include "cuda/stream.hpp"

namespace gpulab::cuda {

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
