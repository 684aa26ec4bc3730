#include "check/answers.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

const Question sum_of_two{.name = "Sum",
                          .answer = [](const Facts& facts) { return facts.of("a") + facts.of("b"); },
                          .errors = {{"longest-alone", "that is the longer one",
                                      [](const Facts& facts) { return facts.of("a"); }}}};

AskedQuestion asked(const std::string& unit, double a, double b, double tolerance = 0) {
  AskedQuestion question{.heading = "1. Sum", .name = "Sum", .unit = unit, .tolerance = tolerance};
  question.facts.set("a", a);
  question.facts.set("b", b);
  return question;
}

std::string pattern(const std::string& answer, const AskedQuestion& question) {
  return judge_answer(answer, question, sum_of_two).pattern;
}

TEST(JudgeAnswer, PassesWhatIsRightInAnyUnit) {
  const AskedQuestion question = asked("ms", 4e-3, 3e-3);
  for (const char* answer : {"7", "7 ms", "7.0ms", "7000 us", "0.007 s"}) {
    EXPECT_EQ(pattern(answer, question), "") << answer;
    EXPECT_TRUE(judge_answer(answer, question, sum_of_two).is_right());
  }
}

TEST(JudgeAnswer, PassesWhatIsNearWithinTheTolerance) {
  const AskedQuestion question = asked("ms", 60e-3, 40e-3, 0.02);
  for (const char* answer : {"98", "100", "102"}) EXPECT_EQ(pattern(answer, question), "") << answer;
  for (const char* answer : {"97.9", "102.1"}) EXPECT_EQ(pattern(answer, question), "wrong-number") << answer;
  EXPECT_EQ(pattern("100.001", asked("ms", 60e-3, 40e-3)), "wrong-number") << "exact";
}

TEST(JudgeAnswer, NamesTheTypicalErrorThatItFits) {
  const AnswerJudgement judgement = judge_answer("4 ms", asked("ms", 4e-3, 3e-3), sum_of_two);
  EXPECT_EQ(judgement.pattern, "longest-alone");
  EXPECT_EQ(judgement.explanation, "that is the longer one");
}

TEST(JudgeAnswer, TellsSlipsOfUnits) {
  const AskedQuestion time = asked("ms", 4e-3, 3e-3);
  for (const char* answer : {"7 s", "0.007", "7 us", "7 ns", "7000"})
    EXPECT_EQ(pattern(answer, time), "wrong-prefix") << answer;
  EXPECT_EQ(pattern("56 ms", time), "bits-for-bytes");
  EXPECT_EQ(pattern("7 x", time), "wrong-unit");
  EXPECT_EQ(pattern("7 kB", time), "wrong-unit");
  EXPECT_EQ(pattern("64 KiB", asked("kB", 32e3, 32e3)), "wrong-unit") << "64 kB are not 64 KiB";
  EXPECT_EQ(pattern("25 x", asked("%", 0.125, 0.125)), "wrong-unit");
  EXPECT_EQ(pattern("0.25", asked("%", 0.125, 0.125)), "fraction-for-percent");
  EXPECT_EQ(pattern("0.25 x", asked("%", 0.125, 0.125)), "") << "a fraction that says so";
  EXPECT_EQ(pattern("0.5", asked("x", 1.5, 0.5)), "upside-down");
  EXPECT_EQ(pattern("2000", asked("sectors", 1.5, 0.5)), "wrong-number") << "a count has no prefix";
}

TEST(JudgeAnswer, SaysThatTheNumberWouldBeRightInAnotherUnit) {
  const AskedQuestion time = asked("ms", 4e-3, 3e-3);
  const auto says_so = [&](const char* answer) {
    return judge_answer(answer, time, sum_of_two).explanation.find("number would be right") !=
           std::string::npos;
  };
  EXPECT_TRUE(says_so("7 kB"));
  EXPECT_FALSE(says_so("8 kB"));
  EXPECT_FALSE(says_so("8 us"));
}

TEST(JudgeAnswer, TellsWhatIsNoAnswer) {
  const AskedQuestion question = asked("ms", 4e-3, 3e-3);
  EXPECT_EQ(pattern("", question), unanswered);
  EXPECT_EQ(pattern("seven", question), "unreadable-answer");
  EXPECT_EQ(pattern("0", question), "wrong-number");
}

TEST(JudgeAnswer, DoesNotGiveTheAnswerAway) {
  const AskedQuestion question = asked("ms", 4e-3, 3e-3);
  for (const char* answer : {"", "x", "4", "56 kB", "8", "99"})
    EXPECT_EQ(judge_answer(answer, question, sum_of_two).explanation.find('7'), std::string::npos) << answer;
}

}  // namespace
}  // namespace gpulab::check
