#include "bench/result.hpp"

#include <gtest/gtest.h>

#include "bench/bench_fixtures.hpp"

namespace gpulab::bench {
namespace {

TEST(BenchFigures, AreMediansOverProcesses) {
  const std::vector<CaseFigures> cases = case_figures({cold_in({3, 1, 2})});
  ASSERT_EQ(cases.size(), 1u);
  const BenchFigure& cold = cases[0].figures.at(0);
  EXPECT_EQ(cold.name, "cold");
  EXPECT_DOUBLE_EQ(cold.value, 2e-6);
  EXPECT_DOUBLE_EQ(cold.range->low, 1e-6);
  EXPECT_DOUBLE_EQ(cold.range->high, 3e-6);
  EXPECT_EQ(cold.processes, 3u);
  EXPECT_EQ(cold.samples, 18u);
}

TEST(BenchFigures, HaveTheMediansOfTheFirstAndTheLastClocks) {
  BenchResult result = cold_in({1});
  result.rows[0].times[BenchTime::cold].clocks_hz = {1, 2, 3, 50, 50, 50, 7, 8, 9};
  EXPECT_EQ(case_figures({result})[0].figures[0].clocks_hz, (std::vector<double>{2, 8}));
}

TEST(BenchFigures, ComeByLessonThenBySize) {
  const std::vector<CaseFigures> cases =
      case_figures({on_gpu({cold_row(some_case("a", 4096), 1), cold_row(some_case("b", 512), 1),
                            cold_row({.lesson = "coalescing", .variant = "z", .size = 9999}, 1)})});
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].what.lesson, "coalescing");
  EXPECT_EQ(cases[1].what.size, 512u);
  EXPECT_EQ(cases[2].what.size, 4096u);
}

TEST(BenchFigures, AreOfAResultThatIsWrongIfOneProcessSaysSo) {
  const std::vector<CaseFigures> cases =
      case_figures({cold_in({1, 1}), on_gpu({wrong_row(some_case(), "lost updates")})});
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_FALSE(cases[0].valid);
  EXPECT_EQ(cases[0].explanation, "lost updates");
}

TEST(BenchFigures, HaveARangeOfCountsOnlyWhereTheyDiffer) {
  const BenchResult once = on_simulator({{"fiber_switches", 8}}),
                    again = on_simulator({{"fiber_switches", 9}});
  EXPECT_FALSE(case_figures({once, once})[0].figures[0].range);
  EXPECT_TRUE(case_figures({once, again})[0].figures[0].range);
}

}  // namespace
}  // namespace gpulab::bench
