#include "cuda/module.hpp"

#include "cuda/compiled_attributes.hpp"
#include "cuda/nvrtc.hpp"
#include "cuda/properties.hpp"
#include "device/symbols.hpp"

namespace gpulab::cuda {

device::KernelAttributes CudaKernel::attributes() const {
  const DriverApi& driver = context_->enter();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    driver.function_attribute(&value, which, function_);
    return value;
  };
  return {.registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
          .local_bytes_per_thread = static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)),
          .spill_store_bytes = reported_.spill_store_bytes,
          .spill_load_bytes = reported_.spill_load_bytes,
          .static_shared_bytes = static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)),
          .constant_bytes = reported_.constant_bytes,
          .max_threads_per_block = static_cast<unsigned>(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK))};
}

void CudaKernel::ask_for_shared(std::size_t dynamic_bytes, const DeviceProperties& device) const {
  if (dynamic_bytes == 0) return;  // nobody may have more static shared memory
  const DriverApi& driver = context_->enter();
  int static_bytes = 0;
  driver.function_attribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function_);
  const std::size_t bytes = static_cast<std::size_t>(static_bytes) + dynamic_bytes;
  if (bytes <= device.shared_bytes_per_block || bytes > device.shared_bytes_per_block_optin) return;
  driver.set_function_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(dynamic_bytes));
}

CudaModule::CudaModule(std::shared_ptr<const CudaContext> context, std::string source, CachedCubin cubin)
    : context_(std::move(context)), source_(std::move(source)), cubin_(std::move(cubin)) {
  const CUresult result = context_->enter().load_module.attempt(&module_, cubin_.code.c_str());
  if (result != CUDA_SUCCESS)
    throw device::DeviceError("cuModuleLoad", error_name(result),
                              error_text(result) + " (" + source_ + " was compiled by NVRTC " +
                                  nvrtc().version() + ", the driver supports CUDA " +
                                  supported_cuda_version() +
                                  ": if that is older, set CUDA_HOME to an older CUDA Toolkit)");
}

CudaModule::~CudaModule() {
  context_->enter().unload_module.attempt(module_);
}

std::unique_ptr<device::Kernel> CudaModule::kernel(const std::string& name, const Signature& signature) {
  const std::string symbol =
      device::find_kernel_symbol(device::elf_symbols(cubin_.code), source_, name, signature);
  CUfunction function = nullptr;
  context_->enter().module_function(&function, module_, symbol.c_str());
  return std::make_unique<CudaKernel>(
      context_, function, compiled_attributes(cubin_, symbol).value_or(device::KernelAttributes{}));
}

device::DeviceSymbol CudaModule::symbol(const std::string& name) {
  const device::ElfSymbol variable = device::find_variable(device::elf_symbols(cubin_.code), source_, name);
  device::DeviceSymbol symbol;
  CUdeviceptr address = 0;
  context_->enter().module_variable(&address, &symbol.bytes, module_, variable.name.c_str());
  symbol.address = address;
  return symbol;
}

}  // namespace gpulab::cuda
