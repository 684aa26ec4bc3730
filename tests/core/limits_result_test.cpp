#include "core/limits_result.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace limits_result_test {

VariantResult timed(std::string name, double seconds) {
  return {.name = std::move(name),
          .observed = Outcome::right,
          .kernel_cold = Timing{.samples_s = {seconds}, .median_s = seconds}};
}

// 12 GB in 4 ms are 3 TB/s.
LimitResult measured(std::vector<Target> targets) {
  LimitResult one{.lesson = "add", .traffic = {.bytes_read = 8e9, .bytes_written = 4e9, .operations = 1e9}};
  one.asked.targets = std::move(targets);
  one.rung = timed("wide", 4e-3);
  one.yardstick = timed("cub", 5e-3);
  one.others = {timed("plain", 8e-3)};
  one.ceiling = Ceiling{"two reads, one write", 4e12};
  return one;
}

TEST(Targets, CompareTheRungWithYardstickCeilingAndOtherRungs) {
  const auto judged = judge_targets(measured({{Target::Kind::times_yardstick, 1.2},
                                              {Target::Kind::part_of_ceiling, 0.8},
                                              {Target::Kind::operations_per_s, 2e11},
                                              {Target::Kind::times_rung, 3, "plain"}}));
  ASSERT_EQ(judged.size(), 4u);
  EXPECT_DOUBLE_EQ(*judged[0].reached, 1.25);
  EXPECT_TRUE(judged[0].met());
  EXPECT_DOUBLE_EQ(*judged[1].reached, 0.75);
  EXPECT_FALSE(judged[1].met());
  EXPECT_DOUBLE_EQ(*judged[2].reached, 2.5e11);
  EXPECT_TRUE(judged[2].met());
  EXPECT_DOUBLE_EQ(*judged[3].reached, 2);
  EXPECT_FALSE(judged[3].met());
}

TEST(Targets, AreNotReachedByWhatIsWrongOrMissing) {
  LimitResult one = measured({{Target::Kind::times_yardstick, 1}});
  one.rung.observed = Outcome::wrong;
  EXPECT_FALSE(judge_targets(one)[0].reached);
  one = measured({{Target::Kind::times_yardstick, 1}});
  one.yardstick.reset();
  EXPECT_FALSE(judge_targets(one)[0].met());
}

TEST(LimitsResult, FailsForAWrongResultAndNotForAMissedTarget) {
  LimitsResult result;
  result.cases = {measured({{Target::Kind::part_of_ceiling, 1}})};
  result.cases[0].targets = judge_targets(result.cases[0]);
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
  result.cases[0].yardstick->observed = Outcome::wrong;
  EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result);
}

}  // namespace limits_result_test
}  // namespace gpulab
