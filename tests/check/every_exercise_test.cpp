#include "check/checks.hpp"
#include "expected_text.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

// The exercises that ask for a kernel: every starter is judged wrong, every solution right, and
// every mistake is refused with the pattern that its first line states, or passes if it only looks wrong.
// tests/teach/every_demo_test.cpp judges the mistakes that a demo plays.

namespace gpulab::check {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string lesson;
  ExpectedText mistake;
};

fs::path folder_of(const Exercise& exercise) {
  return fs::path("exercises") / fs::path(exercise.file).stem();
}

std::vector<Exercise> kernel_exercises() {
  std::vector<Exercise> all = all_exercises();
  std::erase_if(all, [](const Exercise& exercise) { return exercise.kind != ExerciseKind::kernel; });
  return all;
}

std::vector<Case> every_mistake() {
  std::vector<Case> cases;
  for (const Exercise& exercise : kernel_exercises())
    for (const ExpectedText& mistake :
         expected_texts(folder_of(exercise) / "mistakes", course_file_of(exercise)))
      if (!mistake.is_in_demo()) cases.push_back({exercise.lesson, mistake});
  return cases;
}

CheckResult checked(const std::string& lesson_name, const device::KernelSource& source) {
  ::setenv("GPULAB_TIME_LIMIT", "2", 1);
  CheckResult result;
  for (const Lesson& lesson : all_lessons()) {
    if (lesson.name != lesson_name) continue;
    check_on_simulator(lesson, source, *simulator::simulator_with("g++"), {}, result);
    if (!lesson.is_checked_with_64_lanes || result.verdict != Verdict::right) continue;
    result = {};
    check_on_simulator(lesson, source, *simulator::simulator_with("g++", WarpSize(64)), {}, result);
  }
  ::unsetenv("GPULAB_TIME_LIMIT");
  return result;
}

void PrintTo(const Case& tried, std::ostream* out) {
  PrintTo(tried.mistake, out);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.lesson + "_" + info.param.mistake.file.stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
}

using EveryMistake = simulator::NeedsGcc<testing::TestWithParam<Case>>;

TEST_P(EveryMistake, IsJudgedAsItStates) {
  const ExpectedText& mistake = GetParam().mistake;
  const CheckResult result = checked(GetParam().lesson, {mistake.file.filename().string(), mistake.text});
  if (mistake.pattern() == expected_to_pass) {
    EXPECT_EQ(result.verdict, Verdict::right) << result.pattern << ": " << result.summary;
    return;
  }
  EXPECT_NE(result.verdict, Verdict::right);
  EXPECT_EQ(result.pattern, mistake.pattern()) << result.summary;
  EXPECT_FALSE(result.summary.empty());
}

INSTANTIATE_TEST_SUITE_P(Course, EveryMistake, testing::ValuesIn(every_mistake()), name_of);

using EveryExercise = simulator::NeedsGcc<testing::TestWithParam<Exercise>>;

TEST_P(EveryExercise, BeginsWithAStarterThatIsWrong) {
  const CheckResult result = checked(GetParam().lesson, {GetParam().file, GetParam().starter});
  EXPECT_TRUE(result.verdict == Verdict::wrong || result.verdict == Verdict::defect) << result.summary;
}

TEST_P(EveryExercise, EndsWithASolutionThatIsRight) {
  for (const Lesson& lesson : all_lessons()) {
    if (lesson.name != GetParam().lesson) continue;
    const Variant& solution = run::find_variant(lesson, lesson.solution);
    const std::string file = lesson.file_of(solution);
    const CheckResult result = checked(lesson.name, {file, run::embedded_kernel_file(file)});
    EXPECT_EQ(result.verdict, Verdict::right) << result.pattern << ": " << result.summary;
  }
}

TEST_P(EveryExercise, HasThreeHintsAndFourMistakes) {
  EXPECT_EQ(GetParam().hints.size(), 3u);
  EXPECT_GE(expected_texts(folder_of(GetParam()) / "mistakes", course_file_of(GetParam())).size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(Course, EveryExercise, testing::ValuesIn(kernel_exercises()), [](const auto& info) {
  std::string name = info.param.lesson;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace gpulab::check
