#include "check/answers.hpp"
#include "check/explanations.hpp"
#include "check/progress.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

// The exercises with questions: every sheet is handed out unanswered, the course's answers are right,
// and every mistake is refused with the pattern that its first line states.

namespace gpulab::check {
namespace {

namespace fs = std::filesystem;

std::vector<Exercise> exercises_with_questions() {
  std::vector<Exercise> all = all_exercises();
  std::erase_if(all, [](const Exercise& exercise) { return !exercise.has_questions(); });
  return all;
}

std::vector<fs::path> mistakes_of(const Exercise& exercise) {
  std::vector<fs::path> files;
  const fs::path folder = source_file("exercises") / fs::path(exercise.file).stem() / "mistakes";
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

QuestionSheet sheet_of(const Exercise& exercise) {
  for (const Lesson& lesson : all_lessons())
    if (lesson.name == exercise.lesson) return lesson.sheet;
  return {};
}

class EveryQuestion : public testing::TestWithParam<Exercise> {
 protected:
  // The simulator chooses the compiler for the kernels in questions.
  void SetUp() override {
    if (!simulator::simulator_with("")) GTEST_SKIP() << "there is no compiler for kernels";
  }
};

TEST_P(EveryQuestion, IsHandedOutWithoutAnAnswer) {
  const CheckResult result = check_answers(GetParam(), GetParam().file, GetParam().starter);
  EXPECT_EQ(result.verdict, Verdict::unanswered);
  EXPECT_EQ(result.pattern, "unanswered");
  EXPECT_TRUE(result.summary.starts_with("Nothing is answered yet.")) << result.summary;
  EXPECT_GT(result.line, 0);
}

TEST_P(EveryQuestion, HasAnAnswerThatIsRight) {
  const CheckResult result = check_answers(GetParam(), GetParam().file, answered_sheet(GetParam()));
  EXPECT_EQ(result.verdict, Verdict::right) << result.summary;
  ASSERT_EQ(result.notes.size(), 1u) << "the command that shows it on a GPU";
  EXPECT_NE(result.notes[0].find("gpulab " + GetParam().lesson), std::string::npos);
}

TEST_P(EveryQuestion, RefusesEveryMistakeWithThePatternThatItStates) {
  for (const fs::path& file : mistakes_of(GetParam())) {
    const std::string text = content_of(file), label = "# expect: ";
    ASSERT_TRUE(text.starts_with(label)) << file;
    const CheckResult result = check_answers(GetParam(), file.filename().string(), text);
    const std::string expected = text.substr(label.size(), text.find('\n') - label.size());
    const bool passes = expected == expected_to_pass;
    EXPECT_EQ(result.verdict, passes ? Verdict::right : Verdict::wrong) << file;
    EXPECT_EQ(result.pattern, passes ? "" : expected) << file;
    EXPECT_EQ(result.line > 0, !passes) << file;
  }
}

TEST_P(EveryQuestion, HasThreeHintsAndTwoMistakesForEach) {
  const auto questions = asked_questions(GetParam().starter);
  EXPECT_EQ(GetParam().hints.size(), 3u);
  EXPECT_GE(questions.size(), 3u);
  EXPECT_LE(questions.size(), 10u);
  EXPECT_GE(mistakes_of(GetParam()).size(), 2 * questions.size());
}

TEST_P(EveryQuestion, StatesItsUnitAndTolerance) {
  for (const AskedQuestion& asked : asked_questions(GetParam().starter)) {
    EXPECT_NE(asked.unit, "") << asked.heading;
    EXPECT_TRUE(unit_called(asked.unit)) << asked.heading;
    EXPECT_TRUE(asked.source.ends_with("exact):") || asked.tolerance > 0) << asked.source;
  }
}

TEST_P(EveryQuestion, HasAHintForEveryTypicalError) {
  for (const Question& question : sheet_of(GetParam()).questions)
    for (const TypicalError& error : question.errors) {
      EXPECT_NE(pattern_hint(error.pattern), "") << error.pattern;
      EXPECT_EQ(error.pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos)
          << error.pattern << " cannot be read back from the progress";
    }
}

// The demo of mistakes says what each wrong choice would give.
TEST_P(EveryQuestion, HasTheAnswersOfItsTypicalErrors) {
  const std::vector<MistakenAnswer> all = mistaken_answers(GetParam());
  EXPECT_GE(all.size(), asked_questions(GetParam().starter).size());
  for (const MistakenAnswer& mistaken : all) {
    std::string text = GetParam().starter;
    std::vector<std::string> lines = lines_of(text);
    lines.at(static_cast<std::size_t>(mistaken.line) - 1) += " " + mistaken.answer;
    text.clear();
    for (const std::string& line : lines) text += line + "\n";
    const CheckResult result = check_answers(GetParam(), "sheet.txt", text);
    EXPECT_EQ(result.line, mistaken.line) << mistaken.answer;
    EXPECT_NE(result.pattern, "wrong-number") << mistaken.pattern << " gives " << mistaken.answer;
  }
}

TEST_P(EveryQuestion, IsInTheTextAndInTheLessonInTheSameOrder) {
  const auto questions = asked_questions(GetParam().starter);
  const QuestionSheet sheet = sheet_of(GetParam());
  ASSERT_EQ(questions.size(), sheet.questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(questions[i].name, sheet.questions[i].name);
    EXPECT_EQ(questions[i].heading, std::to_string(i + 1) + ". " + questions[i].name);
  }
}

INSTANTIATE_TEST_SUITE_P(Course, EveryQuestion, testing::ValuesIn(exercises_with_questions()),
                         [](const auto& info) { return info.param.lesson; });

}  // namespace
}  // namespace gpulab::check
