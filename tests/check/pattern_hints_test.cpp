#include <gtest/gtest.h>

#include <set>

#include "check/progress.hpp"

namespace gpulab::check {
namespace {

TEST(PatternHints, AreThereForEveryPatternAndDiffer) {
  std::set<std::string> patterns, hints;
  for (const PatternGroup& group : pattern_groups())
    for (const auto& [pattern, hint] : group.patterns) {
      EXPECT_EQ(pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << pattern;
      EXPECT_TRUE(hint.ends_with('.') || hint.ends_with('?')) << pattern << ": " << hint;
      EXPECT_TRUE(patterns.insert(pattern).second) << pattern;
      EXPECT_TRUE(hints.insert(hint).second) << pattern;
      EXPECT_EQ(pattern_hint(pattern), hint);
    }
  EXPECT_GT(patterns.size(), 80u);
}

TEST(PatternHints, AreThereForWhatAnyKernelOrAnswerMayShow) {
  for (const char* pattern :
       {"unwritten-scattered", "wrong-values", "race-shared", "does-not-compile", "wrong-on-gpu",
        "unanswered", "unreadable-answer", "wrong-unit", "wrong-prefix", "bits-for-bytes",
        "fraction-for-percent", "upside-down", "wrong-number", "nothing-overlaps"})
    EXPECT_NE(pattern_hint(pattern), "") << pattern;
}

TEST(PatternHints, StandUnderHeadings) {
  EXPECT_EQ(pattern_groups().front().title, "Results of kernels");
  EXPECT_EQ(pattern_groups().front().patterns.front().pattern, "unwritten-everywhere");
}

TEST(PatternHints, AreEmptyForWhatIsNoPattern) {
  EXPECT_EQ(pattern_hint(""), "");
  EXPECT_EQ(pattern_hint("no-such-pattern"), "");
}

}  // namespace
}  // namespace gpulab::check
