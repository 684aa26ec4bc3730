#include "cuda/support.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/lesson_cases.hpp"
#include "run/run_lesson.hpp"
#include "run/variant_run.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace lessons_on_gpu_test {

class LessonsOnGpu : public testing::TestWithParam<Lesson> {
 protected:
  void SetUp() override {
    const cuda::Status status = cuda::support().status();
    if (status.devices == 0) GTEST_SKIP() << status.driver_problem;
  }

  void expect_stated_outcomes(const Settings& settings, const std::vector<std::string>& variants,
                              device::Device& device) {
    RunOptions options;
    options.settings = settings;
    options.variants = variants;
    options.time_budget_s = 1e-9;
    for (const VariantResult& variant : run_lesson(GetParam(), options, device).variants)
      EXPECT_TRUE(variant.as_expected())
          << variant.name << " at " << text_of(settings) << ": " << variant.explanation;
  }
};

bool is_stated_to_fault(const Lesson& lesson, const Variant& variant, const Settings& settings) {
  const Problem problem = lesson.problem(settings);
  return variant.expects.at({.settings = settings,
                             .work = {1024},
                             .block_size = variant.block.threads,
                             .problem = &problem}) == Outcome::faults;
}

TEST_P(LessonsOnGpu, DoWhatTheyStateAtEdgeSizesAndAtTheDefaultSize) {
  const Lesson& lesson = GetParam();
  device::CompileCache cache;
  const auto device = cuda::support().open(0, cache);
  std::vector<Settings> all = edge_settings(lesson, 256);
  all.push_back(lesson.default_settings());
  std::erase_if(all, [](const Settings& settings) {
    const auto gpus = settings.options.find(gpus_option);
    return gpus != settings.options.end() &&
           settings.count(gpus_option) > static_cast<std::size_t>(cuda::support().status().devices);
  });
  for (const Settings& settings : all) {
    std::vector<std::string> variants;
    for (const Variant& variant : lesson.variants)
      if (!is_stated_to_fault(lesson, variant, settings) && missing_requirement(variant, *device).empty())
        variants.push_back(variant.name);
    for (const Variant& yardstick : lesson.yardsticks)
      if (missing_requirement(yardstick, *device).empty()) variants.push_back(yardstick.name);
    expect_stated_outcomes(settings, variants, *device);
  }
}

// Measures at the smallest size of each claim, and at four times that size. No claim may be refuted, since
// --strict-claims would fail then.
TEST_P(LessonsOnGpu, ClaimTimesThatHoldFromTheStatedSizeOn) {
  const Lesson& lesson = GetParam();
  if (!lesson.has_size()) GTEST_SKIP() << "it has no --size";
  device::CompileCache cache;
  const auto device = cuda::support().open(0, cache);
  for (const Claim& claim : lesson.claims)
    for (const std::size_t size : {claim.from, 4 * claim.from}) {
      if (claim.kind == Claim::Kind::fewer_counted || claim.from == 0) continue;
      RunOptions options;
      options.settings = lesson.default_settings();
      options.settings.size = size;
      options.variants = {claim.better, claim.worse};
      options.time_budget_s = 0.1;
      for (const ClaimResult& judged : run_lesson(lesson, options, *device).claims)
        EXPECT_NE(judged.verdict, ClaimVerdict::does_not_hold)
            << judged.claim.better << " and " << judged.claim.worse << " at " << size << ": "
            << judged.ratio.value_or(0);
    }
}

// After an illegal address the process cannot use CUDA any more, so these tests run in another one.
class FaultsOnGpu : public LessonsOnGpu {};

TEST_P(FaultsOnGpu, AreWhatTheLessonStates) {
  device::CompileCache cache;
  const auto device = cuda::support().open(0, cache);
  const Settings default_settings = GetParam().default_settings();
  for (const Variant& variant : GetParam().variants)
    if (is_stated_to_fault(GetParam(), variant, default_settings))
      expect_stated_outcomes(default_settings, {variant.name}, *device);
}

std::vector<Lesson> lessons_that_fault() {
  std::vector<Lesson> lessons = all_lessons();
  std::erase_if(lessons, [](const Lesson& lesson) {
    const Settings default_settings = lesson.default_settings();
    return std::ranges::none_of(lesson.variants, [&](const Variant& variant) {
      return is_stated_to_fault(lesson, variant, default_settings);
    });
  });
  return lessons;
}

std::string name_of_lesson(const testing::TestParamInfo<Lesson>& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, LessonsOnGpu, testing::ValuesIn(all_lessons()), name_of_lesson);
INSTANTIATE_TEST_SUITE_P(Some, FaultsOnGpu, testing::ValuesIn(lessons_that_fault()), name_of_lesson);

}  // namespace lessons_on_gpu_test
}  // namespace gpulab::run
