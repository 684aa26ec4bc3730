#include "check/checks.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

const device::KernelSource source{"mine.cu", "one\n    two\n\tthree\n\nfive\n"};

CheckResult placed(CheckResult result) {
  find_places(source, result);
  return result;
}

CheckResult refused(int line, const std::string& log) {
  return placed({.verdict = Verdict::does_not_compile,
                 .pattern = "does-not-compile",
                 .line = line,
                 .compiler_log = log});
}

TEST(FindPlaces, BeginsWhereTheTextOfTheLineDoes) {
  EXPECT_EQ(placed({.line = 2}).column, 5);
  EXPECT_EQ(placed({.line = 3}).column, 2);
  EXPECT_EQ(placed({.line = 4}).column, 1) << "an empty line";
  EXPECT_EQ(placed({.line = 0}).column, 1);
  EXPECT_EQ(placed({.line = 99}).column, 1);
  const CheckResult race = placed({.line = 1, .related = {{.line = 2, .text = "the other thread"}}});
  EXPECT_EQ(race.related[0].column, 5);
  EXPECT_EQ(race.related[0].source, "two");
}

TEST(FindPlaces, KeepsTheCompilersColumnsAndItsFurtherErrors) {
  const CheckResult result = refused(
      2, "mine.cu:2:7: error: a\nmine.cu:3:9: note: b\nmine.cu:5:2: error: c\nmine.cu:5:2: warning: d\n");
  EXPECT_EQ(result.column, 7);
  ASSERT_EQ(result.related.size(), 2u);
  EXPECT_EQ(result.related[0].text, "b");
  EXPECT_EQ(result.related[0].pattern, "") << "a note belongs to the error before it";
  EXPECT_EQ(result.related[1].line, 5);
  EXPECT_EQ(result.related[1].column, 2);
  EXPECT_EQ(result.related[1].pattern, "does-not-compile");
}

TEST(FindPlaces, TakesTheTextOfTheLineWhereNvrtcTellsNoColumn) {
  EXPECT_EQ(refused(2, "mine.cu(2): error: a\n").column, 5);
}

TEST(FindPlaces, EndsALongListOfErrors) {
  std::string log;
  for (int i = 1; i < 100; ++i)
    log += "mine.cu:1:" + std::to_string(i) + ": error: " + std::to_string(i) + "\n";
  EXPECT_EQ(refused(1, log).related.size(), 20u);
}

}  // namespace
}  // namespace gpulab::check
