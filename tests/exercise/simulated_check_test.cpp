#include "exercise/simulated_check.hpp"

#include <gtest/gtest.h>

#include "core/registry.hpp"
#include "device/simulator/simulator_fixture.hpp"

// Kernels that a learner could write, checked for real.

namespace gpulab {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class SimulatedCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
  }

  static CheckResult checked(const std::string& lesson_name, const std::string& text) {
    CheckResult result;
    for (const Lesson& lesson : all_lessons())
      if (lesson.name == lesson_name)
        check_on_simulator(lesson, {"kernel.cu", text}, *simulator_with("g++"), {}, result);
    return result;
  }
};

TEST_F(SimulatedCheckTest, TellsGarbageOfSharedMemoryFromWhatNobodyWrote) {
  const CheckResult result = checked("first-kernel", R"(
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  __shared__ float sums[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = sums[threadIdx.x];
}
)");
  EXPECT_EQ(result.pattern, "uninitialised-shared") << result.summary;
  ASSERT_FALSE(result.details.empty());
  EXPECT_TRUE(contains(result.details.back(), "written as NaN")) << result.details.back();
}

}  // namespace
}  // namespace gpulab
