#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/compile/host_compiler.hpp"
#include "simulator/compile/module.hpp"
#include "source/code.hpp"

namespace gpulab::simulator::compile {

// Text that defines the extern __shared__ arrays with these symbols, once in a shared object.
std::string dynamic_shared_region(const std::vector<std::string>& names);

// The files of prelude/, in their order: they give an ordinary C++ compiler CUDA's spelling. Embedded at
// build time.
const std::vector<EmbeddedFile>& prelude_parts();

// Makes a file for the compiler. Throws Error when the disk is full.
void write(const std::filesystem::path& path, const std::string& text);

// Definitions by which a preprocessor sees the prelude's macros where the text asks for them, and leaves them
// as they are: CUDA's own words stay in the text. Numbers keep their values.
std::string macros_that_stay(const source::Code& prelude);

// Says that the compiler failed for a reason that is not the file's, which is then neither right nor wrong.
Error not_compiled(const std::string& file, const std::string& compiler,
                   const sandbox::CommandResult& result);

// What is included by force before a kernel file: of the prelude and the library what the file names.
std::string prelude_for(const source::Code& code);

// What to compile behind a kernel file: a loop for each kernel that is worth one (prelude/loops.cuh); empty
// when none is.
std::string loops_for(const source::Code& code);

// Turns the text of a kernel file into a shared object that the simulator can run, or into a CompileError.
class SimulatorCompiler {
 public:
  // Throws DeviceError when this machine has no C++ compiler. The compiler is confined as the mode says.
  explicit SimulatorCompiler(device::CompileCache& cache, sandbox::Mode mode = sandbox::Mode::off,
                             StopRequest stop = {});

  // The file that it makes of the source stays in the cache. Throws CompileError, WorkStopped.
  CompiledFile compiled(const device::KernelSource& source, device::Instrumentation instrumentation);
  // The same, loaded into this process.
  std::unique_ptr<SimulatedModule> compile(const device::KernelSource& source,
                                           device::Instrumentation instrumentation,
                                           SimulatedModule::Load load = SimulatedModule::Load::as_it_is);

  std::string name() const { return compiler_.path().string(); }

 private:
  using RunCommand = std::function<sandbox::CommandResult(const std::vector<std::string>& words)>;
  std::string preprocessed(const device::KernelSource& source, const source::Code& code,
                           const std::string& prelude, const std::filesystem::path& folder,
                           const RunCommand& run) const;

  device::CompileCache& cache_;
  sandbox::Mode mode_;
  StopRequest stop_;
  HostCompiler compiler_;
};

}  // namespace gpulab::simulator::compile
