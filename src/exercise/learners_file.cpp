#include "exercise/learners_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/number_text.hpp"

namespace gpulab {
namespace {

// No kernel file that a person writes is larger; a compiler would take minutes over one that is.
constexpr std::size_t largest_file = std::size_t{1} << 20;

// Seconds without a thread returning, unless the user has said something else: a learner waits for the
// answer.
constexpr const char* time_limit_of_a_kernel = "3";

}  // namespace

KernelSource learners_file(const std::filesystem::path& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed))
    throw UsageError(path.string() + " is a folder, not a kernel file");
  const auto bytes = std::filesystem::file_size(path, failed);
  if (!failed && bytes > largest_file)
    throw UsageError(path.string() + " has " + grouped(bytes) +
                     " bytes: a kernel file has at most 1 048 576");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("cannot read " + path.string() + ": " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find('\0') != std::string::npos)
    throw UsageError(path.string() + " is not a text: a kernel file is CUDA C++ source");
  return {path.string(), std::move(text)};
}

void limit_time_of_learners_kernels() {
  ::setenv("GPULAB_TIME_LIMIT", time_limit_of_a_kernel, /*overwrite=*/0);
}

}  // namespace gpulab
