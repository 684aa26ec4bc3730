#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/sandbox.hpp"
#include "sandbox/stop_request.hpp"

namespace gpulab::sandbox {

// What a command may use. The time is that of its CPUs, so that a busy machine judges alike; the clock on the
// wall may show three times as much.
struct CommandLimits {
  double cpu_s = 60;
  std::size_t memory_bytes = std::size_t{16} << 30;  // of each of its processes
  std::size_t file_bytes = std::size_t{1} << 30;     // of each file that it writes
  std::size_t output_bytes = std::size_t{1} << 20;
};

struct CommandResult {
  enum class Limit { none, time, memory, file, output };

  int exit_status = 0;        // as a shell has it: 128 + signal when a signal ended it
  std::string output;         // of stdout and stderr together, up to the limit
  Limit limit = Limit::none;  // that it came to
};

// Runs a program, found in PATH, in a folder of its own, where its temporary files go, too, so that they are
// cleared away with the folder even if it is killed. Waits for it, and for what it has started. exit_status
// is 127 when there is no such program. Throws WorkStopped, and Error where no process can be started.
CommandResult run_command(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const CommandLimits& limits = {}, const Confinement* confinement = nullptr,
                          const StopRequest& stop = {});

}  // namespace gpulab::sandbox
