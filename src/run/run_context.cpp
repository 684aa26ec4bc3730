#include "run/run_context.hpp"

namespace gpulab::run {

device::Module& Modules::compiled(const device::KernelSource& source, const device::CompileOptions& options) {
  const Key key{source.name, options.instrumentation, options.own_instructions};
  auto& module = modules_[key];
  if (module) return *module;
  if (auto begun = begun_.extract(key))
    module = begun.mapped().get();
  else
    module = device_.compile(source, options);
  return *module;
}

void Modules::begin(const device::KernelSource& source, const device::CompileOptions& options) {
  const Key key{source.name, options.instrumentation, options.own_instructions};
  if (begun_.contains(key) || modules_.contains(key)) return;
  begun_[key] =
      std::async(std::launch::async, [this, source, options] { return device_.compile(source, options); });
}

device::Instrumentation default_instrumentation(const Variant& variant) {
  return variant.races ? device::Instrumentation::interrupted : device::Instrumentation::none;
}

device::CompileOptions compile_options(const Variant& variant, device::Instrumentation instrumentation) {
  return {.own_instructions = variant.needs && variant.needs->only_there, .instrumentation = instrumentation};
}

}  // namespace gpulab::run
