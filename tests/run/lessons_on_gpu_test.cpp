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
  std::vector<Settings> all = edge_settings(lesson, 256);
  all.push_back({.size = lesson.default_size, .options = usual_values(lesson)});
  for (const Settings& settings : all) {
    RunOptions options;
    options.settings = settings;
    options.time_budget_s = 1e-9;
    const LessonResult result = run_lesson(lesson, options, *device);
    for (const VariantResult& variant : result.variants)
      EXPECT_TRUE(variant.as_stated())
          << variant.name << " at " << text_of(settings) << ": " << variant.explanation;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LessonsOnGpu, testing::ValuesIn(all_lessons()), [](const auto& instance) {
  std::string name = instance.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace gpulab
