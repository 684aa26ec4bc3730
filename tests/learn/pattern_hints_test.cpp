#include "learn/hints.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gpulab::learn {
namespace {

TEST(PatternHints, AreThereForEveryPatternAndDiffer) {
  const char* patterns[] = {"unwritten-everywhere",
                            "unwritten-tail",
                            "only-first-block",
                            "only-one-element",
                            "partial-last-block",
                            "unwritten-spaced",
                            "shifted",
                            "repeated",
                            "misplaced",
                            "transposed",
                            "doubled",
                            "lost-updates",
                            "tile-edges",
                            "filter-not-turned",
                            "not-a-number",
                            "rounding-only",
                            "wrong-values",
                            "out-of-bounds-write",
                            "out-of-bounds-read",
                            "race-shared",
                            "race-global",
                            "race-shared-loop",
                            "race-shared-update",
                            "race-global-update",
                            "divergent-barrier",
                            "uninitialised-shared",
                            "uninitialised-global",
                            "not-enough-shared",
                            "launch-failure",
                            "illegal-address",
                            "division-by-zero",
                            "stack-overflow",
                            "trap",
                            "too-much-output",
                            "kernel-failure",
                            "deadlock",
                            "time-limit",
                            "does-not-compile",
                            "wrong-parameters",
                            "missing-kernel"};
  std::set<std::string> hints;
  for (const char* pattern : patterns) {
    EXPECT_NE(pattern_hint(pattern), "") << pattern;
    EXPECT_TRUE(hints.insert(pattern_hint(pattern)).second) << pattern;
  }
}

TEST(PatternHints, AreEmptyForWhatIsNoPattern) {
  EXPECT_EQ(pattern_hint(""), "");
  EXPECT_EQ(pattern_hint("no-such-pattern"), "");
}

}  // namespace
}  // namespace gpulab::learn
