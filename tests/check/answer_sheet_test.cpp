#include "check/answers.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

const std::string sheet = R"(# A comment, and an
answer: 1

1. Two streams
   Kernels, which take so long:
     primes: 6 ms
     count primes: 1 ms
   The link carries 55: that is no fact.
answer (ms, exact): 7 ms   # 6 + 1

2. Doubles
   __global__ void twice(const double* A, double* C) {
     C[threadIdx.x] = 2 * A[threadIdx.x];
   }
     threads: 256
answer (sectors, within 2.5 %):
)";

TEST(AnswerSheet, HasQuestionsUnderTheirHeadings) {
  const auto questions = asked_questions(sheet);
  ASSERT_EQ(questions.size(), 2u);
  EXPECT_EQ(questions[0].heading, "1. Two streams");
  EXPECT_EQ(questions[0].name, "Two streams");
  EXPECT_EQ(questions[1].heading, "2. Doubles");
}

TEST(AnswerSheet, HasFactsInSiUnits) {
  const auto questions = asked_questions(sheet);
  EXPECT_DOUBLE_EQ(questions[0].facts.of("primes"), 6e-3);
  EXPECT_DOUBLE_EQ(questions[0].facts.of("count primes"), 1e-3);
  EXPECT_DOUBLE_EQ(questions[1].facts.of("threads"), 256);
  EXPECT_THROW(questions[0].facts.of("threads"), std::logic_error);
  EXPECT_THROW(questions[0].facts.of("The link carries"), std::logic_error);
}

TEST(AnswerSheet, HasTheTextOfKernels) {
  const auto questions = asked_questions(sheet);
  EXPECT_EQ(questions[0].kernels, "");
  EXPECT_EQ(questions[1].kernels,
            "__global__ void twice(const double* A, double* C) {\nC[threadIdx.x] = 2 * A[threadIdx.x];\n}\n");
}

TEST(AnswerSheet, SaysHowToAnswer) {
  const auto questions = asked_questions(sheet);
  EXPECT_EQ(questions[0].unit, "ms");
  EXPECT_EQ(questions[0].tolerance, 0);
  EXPECT_EQ(questions[1].unit, "sectors");
  EXPECT_DOUBLE_EQ(questions[1].tolerance, 0.025);
}

TEST(AnswerSheet, HasAnswersWithTheirLinesAndWithoutNotes) {
  const auto questions = asked_questions(sheet);
  EXPECT_EQ(questions[0].answer, "7 ms");
  EXPECT_EQ(questions[0].line, 9);
  EXPECT_EQ(questions[0].source, "answer (ms, exact): 7 ms   # 6 + 1");
  EXPECT_EQ(questions[1].answer, "");
  EXPECT_EQ(questions[1].line, 16);
}

TEST(AnswerSheet, TakesWhatALearnerMakesOfAnAnswer) {
  const auto answer = [](const std::string& line) { return asked_questions("1. One\n" + line)[0].answer; };
  EXPECT_EQ(answer("answer: 7 ms"), "7 ms");
  EXPECT_EQ(answer("  Answer :7\r\n"), "7");
  EXPECT_EQ(answer("answer (whatever): 7"), "") << "not a line for an answer";
  EXPECT_EQ(answer("answer: 6\nanswer: 7\nanswer:\n"), "7") << "the last that there is";
  EXPECT_EQ(answer(""), "");
}

TEST(AnswerSheet, IsEmptyWhereNothingIsAsked) {
  EXPECT_TRUE(asked_questions("").empty());
  EXPECT_TRUE(asked_questions(std::string(1000000, 'a')).empty());
  EXPECT_TRUE(asked_questions("1. \nanswer: 7\n").empty());
}

}  // namespace
}  // namespace gpulab::check
