#include "exercise/learners_file.hpp"

#include <cstdlib>

#include "run/read_text_file.hpp"

namespace gpulab {
namespace {

// Seconds without a thread returning, unless the user has said something else: a learner waits for the
// answer.
constexpr const char* time_limit_of_a_kernel = "3";

}  // namespace

KernelSource learners_file(const std::filesystem::path& path) {
  return {path.string(), read_text_file(path, kernel_file)};
}

void limit_time_of_learners_kernels() {
  ::setenv("GPULAB_TIME_LIMIT", time_limit_of_a_kernel, /*overwrite=*/0);
}

}  // namespace gpulab
