#include <gtest/gtest.h>

#include <algorithm>

#include "check/checks.hpp"
#include "lesson/lesson.hpp"
#include "run/problems.hpp"
#include "run/variant_run.hpp"
#include "simulator/watch/checked_fixture.hpp"

// The course's own kernels, watched: what is right has no defect either.

namespace gpulab::run {
namespace every_lesson_checked_test {

Settings small_settings(const Lesson& lesson) {
  constexpr std::uint64_t most = 50;
  Settings settings = check::check_settings(lesson, 256).front();
  for (auto& [name, value] : settings.options)
    if (auto* count = std::get_if<std::uint64_t>(&value)) *count = std::min(*count, most);
  return settings;
}

class EveryLessonChecked : public testing::TestWithParam<Lesson> {
 protected:
  void SetUp() override {
    if (!simulator::simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
  }
};

TEST_P(EveryLessonChecked, HasNoDefectInWhatItStatesToBeRight) {
  device::Device& device = *simulator::simulator_with("g++");
  const Lesson& lesson = GetParam();
  const KernelFiles files(lesson, std::nullopt);
  const auto stream = device.create_stream();
  ProblemCache problems(lesson, files, device, *stream);
  const Settings settings = small_settings(lesson);
  Problem problem = lesson.problem(settings);
  const Tolerance tolerance = problem.tolerance;
  const RunContext& context = problems.make(std::move(problem), settings, tolerance);
  device.instruments()->take_defects();
  for (const Variant& variant : lesson.variants) {
    if (variant.on_each_rank) continue;  // tests/run/ranks/ has these
    if (variant.is_program) continue;    // tests/check/every_program_test.cpp runs whole programs
    if (variant.max_size || variant.needs) continue;  // it takes too long, or the simulator cannot
    if (variant.expects.at(context.launch_context(variant.block.threads)) != Outcome::right) continue;
    for (const device::ThreadOrder& order : {simulator::watch::forward, simulator::watch::preempted}) {
      SCOPED_TRACE(variant.name);
      device.instruments()->set_order(order);
      const VariantResult result =
          run_variant(context, {.variant = variant,
                                .block_size = variant.block.threads,
                                .instrumentation = device::Instrumentation::checked});
      EXPECT_EQ(result.observed, Outcome::right) << result.explanation;
      std::vector<Defect> defects = device.instruments()->take_defects();
      std::erase_if(defects, &Defect::is_note);
      EXPECT_TRUE(simulator::watch::are_none(defects));
    }
  }
  device.instruments()->set_order(simulator::watch::forward);
}

INSTANTIATE_TEST_SUITE_P(Course, EveryLessonChecked, testing::ValuesIn(all_lessons()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace every_lesson_checked_test
}  // namespace gpulab::run
