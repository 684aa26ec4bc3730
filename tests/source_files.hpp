#pragma once

#include <filesystem>

namespace gpulab {

// A file of the repository that tests read: from the folder in which the tests are installed, which may have
// been copied to another machine, or else where they were built.
inline std::filesystem::path source_file(const std::filesystem::path& file) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  const auto installed = folder / "share" / "gpulab-tests";
  return (std::filesystem::exists(installed) ? installed : std::filesystem::path(GPULAB_SOURCE)) / file;
}

}  // namespace gpulab
