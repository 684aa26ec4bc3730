#include <unistd.h>
#include <algorithm>

#include "base/error.hpp"
#include "check/own_exercises.hpp"
#include "device/compile_cache.hpp"
#include "lesson/finding.hpp"
#include "run/problems.hpp"
#include "simulator/remote/remote_device.hpp"

namespace gpulab::check {

// The confined process in which the reference runs, and what is there.
struct ReferenceKernel::Opened {
  Opened(const device::KernelSource& source, const Signature& signature)
      : simulator(simulator::remote::open_confined(cache, {})),
        stream(simulator->create_stream()),
        module(simulator->compile(source, {.instrumentation = device::Instrumentation::checked})),
        kernel(module->kernel("reference", signature)) {}

  const pid_t owner = ::getpid();
  device::CompileCache cache;
  std::unique_ptr<device::Device> simulator;
  std::unique_ptr<device::Stream> stream;
  std::unique_ptr<device::Module> module;
  std::unique_ptr<device::Kernel> kernel;
};

ReferenceKernel::ReferenceKernel(device::KernelSource source, Arguments arguments)
    : source_(std::move(source)), arguments_(std::move(arguments)) {}
ReferenceKernel::~ReferenceKernel() = default;

// A forked process opens its own: two would talk over one connection.
ReferenceKernel::Opened& ReferenceKernel::opened() {
  if (opened_ && opened_->owner != ::getpid()) static_cast<void>(opened_.release());
  if (!opened_) opened_ = std::make_unique<Opened>(source_, arguments_.signature());
  return *opened_;
}

// Makes a plain Error of whatever happens, so that no learner's kernel is blamed.
void ReferenceKernel::compute(const std::vector<SizedArray>& arrays, const std::vector<ScalarValue>& scalars,
                              const Inputs& inputs, Outputs& outputs) try {
  run(opened(), arrays, scalars, inputs, outputs);
} catch (const CompileError& error) {
  throw Error(ExitCode::compilation, error.what());
} catch (const Error& error) {
  opened_.reset();
  throw Error(error.code() == ExitCode::device ? ExitCode::compilation : error.code(),
              source_.name + ": " + error.what());
}

void ReferenceKernel::run(Opened& on, const std::vector<SizedArray>& arrays,
                          const std::vector<ScalarValue>& scalars, const Inputs& inputs,
                          Outputs& outputs) const {
  run::DeviceArrays memory(*on.simulator, *on.stream, arrays, inputs);
  std::vector<std::uint64_t> values;
  for (const KernelArgument& argument : arguments_.list())
    values.push_back(argument.is_array()
                         ? memory.address_of(argument.name)
                         : std::ranges::find(scalars, argument.name, &ScalarValue::name)->bits);
  std::vector<void*> pointers;
  for (std::uint64_t& value : values) pointers.push_back(&value);
  std::string failure;
  try {
    on.simulator->launch(*on.kernel, {}, pointers.data(), *on.stream);
    memory.read_outputs(outputs);
  } catch (const device::DeviceError& error) {
    failure = error.explanation();
    if (error.name() == "CUDA_ERROR_LAUNCH_TIMEOUT")
      failure += "; does its loop end, and are the sizes in exercise.toml small enough for one thread?";
  }
  std::vector<Defect> defects = on.simulator->instruments()->take_defects();
  std::erase_if(defects, [](const Defect& defect) { return defect.is_note; });
  if (!defects.empty())
    failure = explanation_of(by_severity(std::move(defects)).front(),
                             [&](std::uintptr_t address) { return memory.element_at(address); });
  if (!failure.empty()) throw UsageError(failure);
}

}  // namespace gpulab::check
