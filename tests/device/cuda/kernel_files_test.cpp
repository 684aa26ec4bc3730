#include <gtest/gtest.h>

#include "device/cuda/cuda_device.hpp"
#include "kernels/kernel_files.hpp"

namespace gpulab {
namespace {

class KernelFileForNvrtc : public testing::TestWithParam<std::tuple<KernelFileCase, std::string>> {};

// NVRTC needs no GPU to compile for one.
TEST_P(KernelFileForNvrtc, CompilesUnlessALessonSaysItDoesNot) {
  if (!cuda_status().nvrtc_found) GTEST_SKIP() << "this machine has no NVRTC";
  const auto& [file, architecture] = GetParam();
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

}  // namespace
}  // namespace gpulab
