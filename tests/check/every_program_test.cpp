#include <map>

#include "check/checks.hpp"
#include "check/explanations.hpp"
#include "check/progress.hpp"
#include "expected_text.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

// The exercises that ask for a program: every starter is judged wrong, every solution right, and
// every mistake is refused with the pattern that its first line states. tests/teach/every_demo_test.cpp
// judges the mistakes that a demo plays.

namespace gpulab::check {
namespace every_program_test {

namespace fs = std::filesystem;

struct Case {
  Exercise exercise;
  ExpectedText mistake;
};

std::vector<Exercise> program_exercises() {
  std::vector<Exercise> all = all_exercises();
  std::erase_if(all, [](const Exercise& exercise) { return !exercise.is_program(); });
  return all;
}

std::vector<ExpectedText> mistakes_in_programs_of(const Exercise& exercise) {
  return expected_texts(fs::path("exercises") / fs::path(exercise.file).stem() / "mistakes",
                        exercise.solution);
}

std::vector<Case> every_mistake() {
  std::vector<Case> cases;
  for (const Exercise& exercise : program_exercises())
    for (const ExpectedText& mistake : mistakes_in_programs_of(exercise))
      cases.push_back({exercise, mistake});
  return cases;
}

std::vector<Case> mistakes_without_demo() {
  std::vector<Case> cases = every_mistake();
  std::erase_if(cases, [](const Case& tried) { return tried.mistake.is_in_demo(); });
  return cases;
}

void PrintTo(const Case& tried, std::ostream* out) {
  PrintTo(tried.mistake, out);
}

std::string as_test_name(std::string name) {
  for (char& letter : name)
    if (letter == '-' || letter == '.') letter = '_';
  return name;
}

using EveryProgramMistake = simulator::NeedsCompiler<testing::TestWithParam<Case>>;

TEST_P(EveryProgramMistake, IsJudgedAsItStates) {
  const auto& [exercise, mistake] = GetParam();
  const std::string pattern = mistake.pattern();
  const CheckResult result = check_program(exercise, {exercise.file, mistake.text}, {});
  if (pattern == expected_to_pass) {
    EXPECT_EQ(result.verdict, Verdict::right) << result.pattern << ": " << result.summary;
    return;
  }
  EXPECT_NE(result.verdict, Verdict::right);
  EXPECT_EQ(result.pattern, pattern) << result.summary;
  EXPECT_NE(pattern_hint(pattern), "") << pattern;
}

INSTANTIATE_TEST_SUITE_P(Course, EveryProgramMistake, testing::ValuesIn(mistakes_without_demo()),
                         [](const auto& info) {
                           return as_test_name(info.param.exercise.name + "_" +
                                               info.param.mistake.file.stem().string());
                         });

TEST(EveryProgramMistakes, NameTheLineToChangeInStreamsAndTransfers) {
  const std::map<std::string, std::string> lines{
      {"kernel_in_default_stream", "square_and_one<<<blocks_for(count), threads>>>"},
      {"waits_for_each_chunk", "cudaStreamSynchronize(stream)"},
      {"one_stream", "cudaMemcpyHostToDevice, stream)"},
      {"last_chunk_left_out", "square_and_one<<<"},
      {"copies_in_each_round", "cudaMemcpyHostToDevice"},
      {"copies_samples_back", "cudaMemcpyDeviceToHost"}};
  std::size_t found = 0;
  for (const auto& [exercise, mistake] : every_mistake()) {
    const auto line = lines.find(mistake.file.stem().string());
    if (line == lines.end()) continue;
    ++found;
    const CheckResult result = check_program(exercise, {exercise.file, mistake.text}, {});
    EXPECT_TRUE(contains(result.source, line->second)) << mistake.file << ": " << result.source;
  }
  EXPECT_GE(found, lines.size());
}

TEST(EveryProgramThatIsRight, MentionsThreadsWithoutWork) {
  const std::string usual = "<<<blocks, threads>>>";
  const std::map<std::string, std::vector<std::string>> notes{
      {usual, {}},
      {"<<<n, 256>>>",
       {"right, and yet saxpy has 1 000 blocks of 256 threads for 1 000 elements, so 255 000 threads have none "
        "(line 32, called from line 49)"}},
      {"<<<n, 1>>>",
       {"right, and yet each of the 1 000 blocks of saxpy has one thread, so the other 31 lanes of its warp have "
        "nothing to do (line 32, called from line 49)"}}};
  for (const Exercise& exercise : program_exercises())
    for (const auto& [launch, expected] : notes) {
      std::string text = exercise.solution;
      const std::size_t at = text.find(usual);
      if (at == std::string::npos) continue;
      const CheckResult result =
          check_program(exercise, {exercise.file, text.replace(at, usual.size(), launch)}, {});
      EXPECT_EQ(result.verdict, Verdict::right);
      EXPECT_EQ(result.notes, expected);
    }
}

using EveryProgram = simulator::NeedsCompiler<testing::TestWithParam<Exercise>>;

TEST_P(EveryProgram, BeginsWithAStarterThatRunsNothingOnTheDevice) {
  const CheckResult result = check_program(GetParam(), {GetParam().file, GetParam().starter}, {});
  EXPECT_EQ(result.verdict, Verdict::wrong);
  EXPECT_EQ(result.pattern, "no-launch") << result.summary << result.compiler_log;
}

TEST_P(EveryProgram, EndsWithASolutionThatIsRight) {
  const CheckResult result = check_program(GetParam(), {GetParam().file, GetParam().solution}, {});
  EXPECT_EQ(result.verdict, Verdict::right)
      << result.pattern << ": " << result.summary << result.compiler_log;
  EXPECT_EQ(result.notes, std::vector<std::string>{});
}

TEST_P(EveryProgram, IsJudgedRightlyInOtherWaysOfWritingIt) {
  for (const ExpectedText& other : expected_texts(
           fs::path("tests/check/programs") / fs::path(GetParam().file).stem(), GetParam().solution)) {
    SCOPED_TRACE(other.file);
    const CheckResult result = check_program(GetParam(), {GetParam().file, other.text}, {});
    EXPECT_EQ(result.verdict == Verdict::right ? "right" : result.pattern, other.words)
        << result.summary << result.compiler_log;
  }
}

TEST_P(EveryProgram, HasThreeHintsAndEightMistakes) {
  EXPECT_EQ(GetParam().hints.size(), 3u);
  EXPECT_GE(mistakes_in_programs_of(GetParam()).size(), 8u);
}

INSTANTIATE_TEST_SUITE_P(Course, EveryProgram, testing::ValuesIn(program_exercises()),
                         [](const auto& info) { return as_test_name(info.param.name); });

}  // namespace every_program_test
}  // namespace gpulab::check
