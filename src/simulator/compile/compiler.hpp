#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "device/instruments.hpp"
#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/compile/module.hpp"
#include "source/code.hpp"

namespace gpulab::simulator::compile {

// Returns the file of a program, found in PATH unless the name is a path; none if there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

// The C++ compiler of this machine, which compiles kernels for the simulated device.
class HostCompiler {
 public:
  // Finds $GPULAB_CXX if it is set, else the first of g++, clang++ and c++ in PATH; none if there is none.
  static std::optional<HostCompiler> find();
  // Finds it in the same way. If there is none, throws a DeviceError that says what to install or to set.
  static HostCompiler find_or_error();

  const std::filesystem::path& path() const { return path_; }
  // Returns "g++ 12.2.0" or "clang++ 14.0.6"; the name alone if the compiler does not tell its version.
  std::string name_and_version() const;
  // Identifies the compiler: its real path, size and time of change.
  const std::string& identity() const { return identity_; }

  // Returns the command that compiles `source` to `output`. Run it in the folder of both. Unless the
  // instrumentation is none, the kernel calls the simulator before every access to memory.
  std::vector<std::string> command(const std::string& prelude, const std::string& source,
                                   device::Instrumentation instrumentation, const std::string& output) const;

  // Returns the options to add to command() for a file with loops over threads.
  std::vector<std::string> options_for_loops() const;

  // Returns the command that preprocesses the source. The predefined macros are the same for every
  // instrumentation.
  std::vector<std::string> preprocess_command(const std::string& prelude, const std::string& source) const;

  // Returns the command that compiles a whole program, including its host code, with the C and C++ libraries.
  // Its files include the prelude themselves.
  std::vector<std::string> program_command(const std::vector<std::string>& sources,
                                           device::Instrumentation instrumentation, const std::string& output,
                                           bool uses_openmp) const;

  // Subfolder with the headers that a kernel file includes.
  static constexpr const char* headers_folder = "include";

 private:
  explicit HostCompiler(std::filesystem::path path);
  std::vector<std::string> device_code_options() const;
  void add_hooks(device::Instrumentation instrumentation, std::vector<std::string>& options) const;
  std::vector<std::string> hook_options(device::Instrumentation instrumentation) const;
  // Returns "12.2.0", which the compiler is asked for once; empty if it does not tell.
  std::string version() const;
  // Returns whether the compiler can initialise unset variables with a pattern.
  bool can_fill_variables() const;

  std::filesystem::path path_;
  std::string identity_;
  bool is_clang_ = false;
};

// Returns text that defines the extern __shared__ arrays with these symbols. A shared object must have this
// text only once.
std::string dynamic_shared_region(const std::vector<std::string>& names);

// The files of prelude/, in their order. They let an ordinary C++ compiler understand CUDA's spelling.
// Embedded at build time.
const std::vector<EmbeddedFile>& prelude_parts();

// Writes a file for the compiler. Throws Error when the disk is full.
void write(const std::filesystem::path& path, const std::string& text);

// Returns definitions for preprocessing a kernel file: each macro of the prelude is defined as itself, so
// that CUDA's own words stay in the text, or as its value if that is a number.
std::string macros_that_stay(const source::Code& prelude);

// Returns the error for a failure of the compiler that is not the file's fault. The file then counts as not
// checked.
Error not_compiled(const std::string& file, const std::string& compiler,
                   const sandbox::CommandResult& result);

// Returns the text included by force before a kernel file: the parts of the prelude and of the library that
// the file names.
std::string prelude_for(const source::Code& code, WarpSize warp_size = {});
// Returns the line before the prelude that sets the warp size; empty for the usual one.
std::string warp_size_definition(WarpSize warp_size);

// Compiles the text of a kernel file to a shared object that the simulator can run. Throws CompileError.
class SimulatorCompiler {
 public:
  // Throws DeviceError when this machine has no C++ compiler. The compiler is confined as the mode says.
  explicit SimulatorCompiler(device::CompileCache& cache, WarpSize warp_size = {},
                             sandbox::Mode mode = sandbox::Mode::off, StopToken stop = {});

  // Returns the compiled file, which stays in the cache. Throws CompileError, WorkStopped.
  CompiledFile compiled(const device::KernelSource& source, device::Instrumentation instrumentation);
  // Compiles the file and loads it into this process.
  std::unique_ptr<SimulatedModule> compile(const device::KernelSource& source,
                                           device::Instrumentation instrumentation,
                                           SimulatedModule::Load load = SimulatedModule::Load::original);

  std::string name() const { return compiler_.path().string(); }

 private:
  CompiledFile compiled_once(const device::KernelSource& source, device::Instrumentation instrumentation);
  using RunCommand = std::function<sandbox::CommandResult(const std::vector<std::string>& command)>;
  std::string preprocessed(const device::KernelSource& source, const source::Code& code,
                           const std::string& prelude, const std::filesystem::path& folder,
                           const RunCommand& run) const;

  device::CompileCache& cache_;
  WarpSize warp_size_;
  sandbox::Mode mode_;
  StopToken stop_;
  HostCompiler compiler_;
  // The last file of several scopes, which are asked for one after another.
  std::mutex mutex_;
  std::string last_text_;
  CompiledFile last_;
};

}  // namespace gpulab::simulator::compile
