#include "learn/hints.hpp"

#include <gtest/gtest.h>

#include "learn/hints.hpp"

namespace gpulab::learn {
namespace {

TEST(AnswerHints, AreThereForEveryKindOfWrongAnswer) {
  for (const char* pattern : {"unanswered", "unreadable-answer", "wrong-unit", "wrong-prefix",
                              "bits-for-bytes", "fraction-for-percent", "upside-down", "wrong-number"})
    EXPECT_NE(answer_hint(pattern), "") << pattern;
}

TEST(AnswerHints, AreAmongThePatternsThatAHintCanBeTakenFor) {
  EXPECT_EQ(pattern_hint("nothing-overlaps"), answer_hint("nothing-overlaps"));
}

TEST(AnswerHints, AreEmptyForWhatIsNoPattern) {
  EXPECT_EQ(answer_hint(""), "");
  EXPECT_EQ(answer_hint("race-shared"), "") << "of kernels";
}

}  // namespace
}  // namespace gpulab::learn
