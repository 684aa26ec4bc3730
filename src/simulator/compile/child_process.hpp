#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpulab::simulator::compile {

struct ChildResult {
  int exit_status = 0;  // as a shell has it: 128 + signal when a signal ended it
  std::string output;   // of stdout and stderr together
};

// Runs a program, found in PATH, in a folder of its own, where its temporary files go, too, so that they are
// cleared away with the folder even if it is killed. Waits for it. exit_status is 127 when there is
// no such program.
ChildResult run_child(const std::vector<std::string>& command, const std::filesystem::path& folder);

}  // namespace gpulab::simulator::compile
