#pragma once

#include <filesystem>
#include <string>

namespace gpulab {

// The text of a kernel file that somebody has written. Throws UsageError, in one sentence, when it cannot be
// read, is no text, or is larger than 1 MiB, which would keep a compiler busy for minutes.
std::string read_kernel_file(const std::filesystem::path& file);

}  // namespace gpulab
