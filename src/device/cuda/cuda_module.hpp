#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "device/cuda/cuda_context.hpp"

namespace gpulab {

class CudaKernel : public Kernel {
 public:
  CudaKernel(std::shared_ptr<const CudaContext> context, CUfunction function)
      : context_(std::move(context)), function_(function) {}
  KernelAttributes attributes() const override;
  CUfunction handle() const { return function_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUfunction function_;
};

class CudaModule : public Module {
 public:
  // Loads machine code from a file; source is the name of the text that it was compiled from.
  CudaModule(std::shared_ptr<const CudaContext> context, std::string source, std::filesystem::path cubin);
  ~CudaModule() override;
  std::unique_ptr<Kernel> kernel(const std::string& name, const Signature& signature) override;

 private:
  std::shared_ptr<const CudaContext> context_;
  std::string source_;
  std::filesystem::path cubin_;
  CUmodule module_ = nullptr;
};

}  // namespace gpulab
