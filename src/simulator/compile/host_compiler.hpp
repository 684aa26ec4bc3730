#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/instruments.hpp"

namespace gpulab::simulator::compile {

// The C++ compiler of this machine, which compiles kernels for the simulated device.
class HostCompiler {
 public:
  // $GPULAB_CXX if it is set, else the first of g++, clang++ and c++ in PATH; none if there is none.
  static std::optional<HostCompiler> find();
  // The same. Throws DeviceError that says what to install or to set.
  static HostCompiler find_or_error();

  const std::filesystem::path& path() const { return path_; }
  // Changes whenever the compiler does: its real path, size and time of change.
  const std::string& identity() const { return identity_; }

  // The command that makes output from source, both in the folder it is run in. Unless the instrumentation is
  // forward, the kernel calls the simulator before every access to memory.
  std::vector<std::string> command(const std::string& prelude, const std::string& source,
                                   device::Instrumentation instrumentation, const std::string& output) const;

  // The command that writes what is left of the source when its macros and conditions are done. No name tells
  // which of the modes it will be compiled in.
  std::vector<std::string> preprocess_command(const std::string& prelude, const std::string& source) const;

  // The same of a whole program: of its host's code, too, with the C and C++ libraries. Its files include the
  // prelude themselves.
  std::vector<std::string> program_command(const std::vector<std::string>& sources,
                                           device::Instrumentation instrumentation, const std::string& output,
                                           bool uses_openmp) const;

  // Where, in the folder, are the headers that a kernel file includes.
  static constexpr const char* headers_folder = "include";

 private:
  explicit HostCompiler(std::filesystem::path path);
  std::vector<std::string> of_device_code() const;
  void add_hooks(device::Instrumentation instrumentation, std::vector<std::string>& words) const;
  std::vector<std::string> hooks(device::Instrumentation instrumentation) const;
  // Whether it can fill variables that nobody has set.
  bool can_fill_variables() const;

  std::filesystem::path path_;
  std::string identity_;
  bool is_clang_ = false;
};

}  // namespace gpulab::simulator::compile
