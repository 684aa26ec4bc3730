#include "check/checks.hpp"
#include "expected_text.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

// Programs that try to pass without doing the work: attacks/EXERCISE/NAME.cu. The first line of each says
// what check must report, "// expect: PATTERN: words of the sentence"; without a pattern, it passes.

namespace gpulab::check {
namespace attacks_test {

namespace fs = std::filesystem;

Exercise exercise_of(const fs::path& attack) {
  const std::string file = attack.parent_path().filename().string() + ".cu";
  for (const Exercise& exercise : all_exercises())
    if (exercise.is_program() && exercise.file == file) return exercise;
  throw std::logic_error("there is no exercise with " + file);
}

class Attack : public testing::TestWithParam<ExpectedText> {
 protected:
  void SetUp() override {
    if (!simulator::simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
    if (!sandbox::support().is_complete()) GTEST_SKIP() << "this machine cannot confine";
  }
};

TEST_P(Attack, IsRefusedWithASentenceThatSaysWhy) {
  const std::string pattern = GetParam().pattern();
  const auto begin = std::chrono::steady_clock::now();
  const Exercise exercise = exercise_of(GetParam().file);
  const CheckResult result = check_program(exercise, {exercise.file, GetParam().text}, {});
  EXPECT_EQ(result.pattern, pattern) << result.summary << result.compiler_log;
  EXPECT_EQ(result.verdict == Verdict::right, pattern.empty()) << result.summary;
  EXPECT_TRUE(contains(result.summary, GetParam().sentence()));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

INSTANTIATE_TEST_SUITE_P(All, Attack, testing::ValuesIn(expected_texts("tests/check/attacks")),
                         [](const auto& info) {
                           return info.param.file.parent_path().filename().string() + "_" +
                                  info.param.file.stem().string();
                         });

}  // namespace attacks_test
}  // namespace gpulab::check
