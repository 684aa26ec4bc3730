#include "run/workbench.hpp"

namespace gpulab {

Module& Modules::compiled(const KernelSource& source, Schedule schedule) {
  auto& module = modules_[{source.name, schedule}];
  if (!module) module = device_.compile(source, {.schedule = schedule});
  return *module;
}

}  // namespace gpulab
