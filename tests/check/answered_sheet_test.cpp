#include "check/answers.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

TEST(AnsweredSheet, HasAnswersAndReasonsInTheirPlaces) {
  const Exercise exercise{
      .starter = "# head\n\n1. One\n   text\nanswer (ms, exact):\n\n2. Two\nanswer (x, exact):\n",
      .solution = "1. One\nanswer: 7 ms\n# because\n# of that\n\n2. Two\nanswer: 3 x\n"};
  EXPECT_EQ(answered_sheet(exercise),
            "# head\n\n1. One\n   text\nanswer (ms, exact): 7 ms\n# because\n# of that\n\n2. Two\n"
            "answer (x, exact): 3 x\n");
}

TEST(AnsweredSheet, LeavesAQuestionOpenThatHasNoAnswer) {
  const Exercise exercise{.starter = "1. One\nanswer (ms, exact):\n2. Two\nanswer (x, exact):\n",
                          .solution = "2. Two\nanswer: 3 x"};
  EXPECT_EQ(answered_sheet(exercise), "1. One\nanswer (ms, exact):\n2. Two\nanswer (x, exact): 3 x\n");
}

}  // namespace
}  // namespace gpulab::check
