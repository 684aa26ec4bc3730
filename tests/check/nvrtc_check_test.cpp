#include "check/checks.hpp"

#include <gtest/gtest.h>

#include "cuda/support.hpp"
#include "run/devices.hpp"

namespace gpulab::check {
namespace {

CheckResult checked(const std::string& text) {
  CheckResult result;
  check_by_nvrtc({"folder/mine.cu", text}, sandbox::Mode::off, result);
  return result;
}

class NvrtcCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::support().status().nvrtc_found) GTEST_SKIP() << "there is no NVRTC";
  }
};

TEST_F(NvrtcCheck, ShowsTheMessageAtTheLearnersLine) {
  // A C++ compiler takes this for a function that everybody may call.
  const CheckResult result =
      checked("__global__ void f(float* a) {}\n\n  float half(float x) { return x / 2; }\n");
  EXPECT_EQ(result.verdict, Verdict::does_not_compile);
  EXPECT_EQ(result.pattern, "does-not-compile");
  EXPECT_EQ(result.line, 3);
  EXPECT_EQ(result.source, "float half(float x) { return x / 2; }");
  EXPECT_TRUE(result.summary.starts_with("folder/mine.cu does not compile: line 3: ")) << result.summary;
  EXPECT_TRUE(result.compiler_log.starts_with("folder/mine.cu(3): error: ")) << result.compiler_log;
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_TRUE(result.notes[0].starts_with("NVRTC ")) << result.notes[0];
}

TEST_F(NvrtcCheck, SaysNothingOfWhatCompiles) {
  const CheckResult result = checked("__global__ void f(int* a) { a[0] = __reduce_add_sync(~0u, 1); }\n");
  EXPECT_EQ(result.verdict, Verdict::right) << result.summary;
  EXPECT_TRUE(result.notes.empty());
}

}  // namespace
}  // namespace gpulab::check
