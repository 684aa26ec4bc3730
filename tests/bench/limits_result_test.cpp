#include "bench/limits.hpp"

#include <gtest/gtest.h>

namespace gpulab::bench {
namespace limits_result_test {

VariantResult timed(std::string name, double seconds) {
  return {.name = std::move(name),
          .observed = Outcome::right,
          .kernel_cold = Timing{.samples_s = {seconds}, .median_s = seconds}};
}

// 12 GB in 4 ms are 3 TB/s.
bench::LimitResult measured(double at_least) {
  bench::LimitResult one{.lesson = "add",
                         .traffic = {.bytes_read = 8e9, .bytes_written = 4e9, .operations = 1e9}};
  one.asked.at_least = at_least;
  one.rung = timed("wide", 4e-3);
  one.yardstick = timed("cub", 5e-3);
  one.ceiling = {"two reads, one write", 4e12};
  return one;
}

TEST(Target, IsAPartOfTheCeiling) {
  EXPECT_DOUBLE_EQ(*bench::part_of_ceiling(measured(0.8)), 0.75);
  EXPECT_TRUE(bench::meets_target(measured(0.75)));
  EXPECT_FALSE(bench::meets_target(measured(0.76)));
}

TEST(Target, CountsOperationsWhereTheyAreTheLimit) {
  bench::LimitResult one = measured(0.5);
  one.traffic.limited_by_operations = true;
  one.ceiling = {"multiply-add", 5e11};
  EXPECT_DOUBLE_EQ(*bench::part_of_ceiling(one), 0.5);
}

TEST(Target, IsMissedByWhatIsWrong) {
  bench::LimitResult one = measured(0.1);
  one.rung.observed = Outcome::wrong;
  EXPECT_FALSE(bench::part_of_ceiling(one));
  EXPECT_FALSE(bench::meets_target(one));
}

TEST(Target, CanBeTheSpeedOfAYardstickThatIsThere) {
  bench::LimitResult one = measured(0);
  one.asked.at_least_times = 1.25;
  EXPECT_TRUE(bench::meets_target(one));
  one.asked.at_least_times = 1.3;
  EXPECT_FALSE(bench::meets_target(one));
  one.yardstick.reset();
  EXPECT_TRUE(bench::meets_target(one));
}

TEST(Target, OfThePartDoesNotDependOnTheYardstick) {
  bench::LimitResult one = measured(0.75);
  EXPECT_DOUBLE_EQ(*bench::times_yardstick(one), 1.25);
  one.yardstick.reset();
  EXPECT_FALSE(bench::times_yardstick(one));
  EXPECT_TRUE(bench::meets_target(one));
}

TEST(LimitsResult, FailsForAWrongResultAndNotForAMissedTarget) {
  bench::LimitsResult result;
  result.cases = {measured(1)};
  EXPECT_EQ(bench::exit_code_of(result), ExitCode::ok);
  result.cases[0].yardstick->observed = Outcome::wrong;
  EXPECT_EQ(bench::exit_code_of(result), ExitCode::wrong_result);
}

}  // namespace limits_result_test
}  // namespace gpulab::bench
