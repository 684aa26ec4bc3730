#include <gtest/gtest.h>

#include <algorithm>

#include "core/registry.hpp"
#include "device/cuda_support.hpp"
#include "run/lesson_cases.hpp"
#include "run/run_lesson.hpp"

namespace gpulab {
namespace {

class LessonsOnGpu : public testing::TestWithParam<Lesson> {
 protected:
  void SetUp() override {
    const CudaStatus status = cuda_support().status();
    if (status.devices == 0) GTEST_SKIP() << status.driver_problem;
  }
};

TEST_P(LessonsOnGpu, DoWhatTheyStateAtEdgeSizesAndAtTheirOwn) {
  const Lesson& lesson = GetParam();
  CompileCache cache;
  const auto device = cuda_support().open(0, cache);
  std::set<std::size_t> sizes = edge_sizes(256);
  sizes.insert({1023, 1024, 1025, lesson.default_size});
  for (const auto& choices : every_choice(lesson)) {
    for (const std::size_t size : sizes) {
      RunOptions options;
      options.settings = {.size = size, .choices = choices};
      options.time_budget_s = 1e-9;
      const LessonResult result = run_lesson(lesson, options, *device);
      for (const VariantResult& variant : result.variants)
        EXPECT_TRUE(variant.as_stated())
            << variant.name << " at size " << size << ": " << variant.explanation;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LessonsOnGpu, testing::ValuesIn(all_lessons()), [](const auto& instance) {
  std::string name = instance.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace gpulab
