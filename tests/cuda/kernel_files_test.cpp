#include <gtest/gtest.h>

#include "cuda/device.hpp"
#include "kernels/kernel_files.hpp"

namespace gpulab::cuda {
namespace {

class KernelFileForNvrtc : public testing::TestWithParam<std::tuple<KernelFileCase, std::string>> {};

// NVRTC needs no GPU to compile for one.
TEST_P(KernelFileForNvrtc, CompilesUnlessALessonSaysItDoesNot) {
  if (!cuda_status().nvrtc_found) GTEST_SKIP() << "this machine has no NVRTC";
  const auto& [file, architecture] = GetParam();
  if (file.needs) GTEST_SKIP() << "for " << file.needs->text();
  if (file.must_compile) {
    EXPECT_FALSE(compile_to_cubin(file.source, architecture).empty());
  } else {
    EXPECT_THROW(compile_to_cubin(file.source, architecture), CompileError);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KernelFileForNvrtc,
                         testing::Combine(testing::ValuesIn(all_kernel_files()),
                                          testing::Values("sm_75", "sm_80", "sm_90", "sm_120")),
                         [](const auto& instance) {
                           return test_name(std::get<0>(instance.param).source) + "_" +
                                  std::get<1>(instance.param);
                         });

// What only some GPUs can run compiles for those, with the instructions that are theirs alone.
TEST(KernelFilesForSomeGpus, CompileForThem) {
  if (!cuda_status().nvrtc_found) GTEST_SKIP() << "this machine has no NVRTC";
  for (const KernelFileCase& file : all_kernel_files()) {
    if (!file.needs) continue;
    const std::string architecture = "sm_" + std::to_string(file.needs->major) +
                                     std::to_string(file.needs->minor) + (file.needs->only_there ? "a" : "");
    EXPECT_FALSE(compile_to_cubin(file.source, architecture).empty()) << file.source.name;
  }
}

}  // namespace
}  // namespace gpulab::cuda
