#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"

namespace gpulab {

// Runs the subcommand that the words name (the program's own name first) and returns what the process ends
// with. Results go to stdout, everything else to stderr. Throws Error, in one sentence, for what cannot be
// done.
ExitCode run_command_line(const std::vector<std::string>& words);

}  // namespace gpulab
