#include "run/run_context.hpp"

namespace gpulab::run {

device::Module& Modules::compiled(const device::KernelSource& source, const device::CompileOptions& options) {
  auto& module = modules_[{source.name, options.schedule, options.own_instructions}];
  if (!module) module = device_.compile(source, options);
  return *module;
}

}  // namespace gpulab::run
