#include "device/cuda/cuda_module.hpp"

#include "device/cuda/cuda_properties.hpp"
#include "device/cuda/nvrtc.hpp"
#include "device/elf_symbols.hpp"
#include "device/kernel_lookup.hpp"

namespace gpulab {

KernelAttributes CudaKernel::attributes() const {
  const DriverApi& driver = context_->enter();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    driver.function_attribute(&value, which, function_);
    return value;
  };
  return {.registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
          .local_bytes_per_thread = static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)),
          .static_shared_bytes = static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)),
          .max_threads_per_block = static_cast<unsigned>(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK))};
}

CudaModule::CudaModule(std::shared_ptr<const CudaContext> context, std::string source,
                       std::filesystem::path cubin)
    : context_(std::move(context)), source_(std::move(source)), cubin_(std::move(cubin)) {
  const CUresult result = context_->enter().load_module.attempt(&module_, cubin_.c_str());
  if (result != CUDA_SUCCESS)
    throw DeviceError("cuModuleLoad", error_name(result),
                      error_text(result) + " (" + source_ + " was compiled by NVRTC " + nvrtc().version() +
                          ", the driver supports CUDA " + supported_cuda_version() +
                          ": if that is older, set CUDA_HOME to an older CUDA Toolkit)");
}

CudaModule::~CudaModule() {
  context_->enter().unload_module.attempt(module_);
}

std::unique_ptr<Kernel> CudaModule::kernel(const std::string& name, const Signature& signature) {
  const std::string symbol = find_kernel_symbol(elf_symbols(cubin_), source_, name, signature);
  CUfunction function = nullptr;
  context_->enter().module_function(&function, module_, symbol.c_str());
  return std::make_unique<CudaKernel>(context_, function);
}

}  // namespace gpulab
