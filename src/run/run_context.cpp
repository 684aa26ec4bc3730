#include "run/run_context.hpp"

namespace gpulab {

Module& Modules::compiled(const KernelSource& source, const CompileOptions& options) {
  auto& module = modules_[{source.name, options.schedule, options.own_instructions}];
  if (!module) module = device_.compile(source, options);
  return *module;
}

}  // namespace gpulab
