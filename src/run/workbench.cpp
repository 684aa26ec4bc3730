#include "run/workbench.hpp"

namespace gpulab::run {

device::Module& Modules::compiled(const device::KernelSource& source, const device::CompileOptions& options) {
  auto& module = modules_[{source.name, options.instrumentation, options.own_instructions}];
  if (!module) module = device_.compile(source, options);
  return *module;
}

}  // namespace gpulab::run
