#include "run/problems.hpp"

#include "base/error.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/lesson_cases.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace smaller_problem_test {

TEST(SmallerProblem, HasTheSettingsAskedForWhereTheyAreSmallEnough) {
  Settings asked = cli::find_lesson("coalescing").default_settings();
  asked.size = 1000;
  asked.seed = 7;
  const Settings settings = smaller_problem(cli::find_lesson("coalescing"), asked, inspect_limit)->settings;
  EXPECT_EQ(settings.size, 1000u);
  EXPECT_EQ(settings.seed, 7u);
}

TEST(SmallerProblem, IsFoundForEveryLesson) {
  for (const Lesson& lesson : all_lessons()) {
    const Settings settings = smaller_problem(lesson, lesson.default_settings(), inspect_limit)->settings;
    EXPECT_LE(settings.size, inspect_limit.items) << lesson.name;
    EXPECT_TRUE(takes(lesson, settings)) << lesson.name;
  }
}

TEST(SmallerProblem, HasHalvesOfTheLargestOfTheLessonsCounts) {
  const Lesson lesson = cli::find_lesson("matmul");
  Settings asked = lesson.default_settings();
  asked.options["m"] = std::uint64_t{4096};
  const Settings settings = smaller_problem(lesson, asked, inspect_limit)->settings;
  EXPECT_EQ(settings.count("m"), 256u) << "2 m n k operations";
  EXPECT_EQ(settings.count("n"), asked.count("n"));
}

TEST(SmallerProblem, IsNoneWhereNothingIsLeftToHalve) {
  Lesson lesson = cli::find_lesson("matmul");
  lesson.options.clear();
  Settings asked = cli::find_lesson("matmul").default_settings();
  for (const char* count : {"m", "n", "k"}) asked.options[count] = std::uint64_t{4096};
  EXPECT_FALSE(smaller_problem(lesson, asked, inspect_limit));
}

LessonResult simulated(const std::string& lesson, Settings settings,
                       const std::vector<std::string>& variants) {
  RunOptions options{.settings = std::move(settings), .variants = variants};
  options.time_budget_s = 1e-9;
  return run_lesson(cli::find_lesson(lesson), options, *simulator::simulator_with(""));
}

TEST(SmallerProblem, IsSimulatedWithAMistake) {
  if (!simulator::simulator_with("")) GTEST_SKIP() << "no C++ compiler is installed";
  Settings settings = cli::find_lesson("shared-histogram").default_settings();
  settings.size = std::size_t{1} << 21;
  const LessonResult result = simulated("shared-histogram", settings, {"wrong-merge", "private-copies"});
  EXPECT_EQ(result.variants.at(0).size, std::size_t{1} << 19);
  EXPECT_TRUE(result.variants.at(0).as_expected()) << result.variants.at(0).explanation;
  EXPECT_EQ(result.variants.at(1).size, settings.size) << "what is right runs at the size asked for";
}

TEST(SmallerProblem, IsNoneForAMistakeThatItDoesNotShow) {
  if (!simulator::simulator_with("")) GTEST_SKIP() << "no C++ compiler is installed";
  Settings settings = cli::find_lesson("arbitrary-size").default_settings();
  settings.size = (std::size_t{1} << 19) + 1;  // with 2^19 elements the last block is whole
  const LessonResult result = simulated("arbitrary-size", settings, {"no-guard"});
  EXPECT_EQ(result.variants.at(0).observed, Outcome::out_of_bounds);
  EXPECT_EQ(result.variants.at(0).size, settings.size);
}

TEST(SmallerProblem, IsCountedWhereTheProblemAskedForWouldTakeTooLong) {
  if (!simulator::simulator_with("")) GTEST_SKIP() << "no C++ compiler is installed";
  Settings settings = cli::find_lesson("matmul").default_settings();
  for (const char* count : {"m", "n", "k"}) settings.options[count] = std::uint64_t{400};
  const LessonResult result = simulated("matmul", settings, {"naive"});
  EXPECT_EQ(result.variants.at(0).findings.figures.size(), 1u);
  EXPECT_TRUE(result.variants.at(0).warnings.empty());
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_TRUE(result.remarks.at(0).starts_with("accesses were counted at 80 000 elements"))
      << result.remarks.at(0);
}

}  // namespace smaller_problem_test
}  // namespace gpulab::run
