#include "run/run_lesson.hpp"

#include <gtest/gtest.h>

namespace gpulab::run {
namespace claims_test {

VariantResult timed(const std::string& name, double median_s, std::optional<Interval> interval) {
  VariantResult variant{.name = name, .observed = Outcome::right};
  variant.kernel_cold = Timing{.samples_s = {median_s}, .median_s = median_s, .confidence_s = interval};
  return variant;
}

ClaimResult judged(double ratio, const VariantResult& fast, const VariantResult& slow,
                   const std::string& device = "cuda") {
  LessonResult result;
  result.device.kind = device;
  result.variants = {fast, slow};
  return judge_claims({at_least(ratio, "fast", "slow")}, result).at(0);
}

const VariantResult fast = timed("fast", 1, Interval{0.9, 1.1});
const VariantResult slow = timed("slow", 3, Interval{2.8, 3.2});

TEST(Claims, HoldWhenTheyDoOverBothIntervals) {
  EXPECT_EQ(judged(2.5, fast, slow).verdict, ClaimVerdict::holds);  // 2.8 / 1.1 = 2.55
  EXPECT_DOUBLE_EQ(*judged(2.5, fast, slow).ratio, 3);
}

TEST(Claims, AreInconclusiveInsideTheIntervals) {
  EXPECT_EQ(judged(2.6, fast, slow).verdict, ClaimVerdict::inconclusive);
  EXPECT_EQ(judged(3.5, fast, slow).verdict, ClaimVerdict::inconclusive);  // 3.2 / 0.9 = 3.56
}

TEST(Claims, DoNotHoldWhenTheyDoNowhereInTheIntervals) {
  EXPECT_EQ(judged(3.6, fast, slow).verdict, ClaimVerdict::does_not_hold);
}

TEST(Claims, AreInconclusiveWithoutAnInterval) {
  const ClaimResult result = judged(1, timed("fast", 1, std::nullopt), slow);
  EXPECT_EQ(result.verdict, ClaimVerdict::inconclusive);
  EXPECT_DOUBLE_EQ(*result.ratio, 3);
}

TEST(Claims, AreNotMeasuredWithoutATimeOfBoth) {
  const ClaimResult result = judged(1, fast, VariantResult{.name = "slow"});
  EXPECT_EQ(result.verdict, ClaimVerdict::not_measured);
  EXPECT_FALSE(result.ratio);
}

TEST(Claims, AreNotMeasuredWhereTheyAreNotMeant) {
  const auto is_large = [](const LaunchContext& at) { return at.size() >= 1000; };
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {fast, slow};
  const auto verdict_at = [&](unsigned size) {
    return judge_claims({only_where(is_large, at_least(2.5, "fast", "slow"))}, result,
                        [&](const Claim&) { return LaunchContext{.work = {size}}; })
        .at(0)
        .verdict;
  };
  EXPECT_EQ(verdict_at(1000), ClaimVerdict::holds);
  EXPECT_EQ(verdict_at(999), ClaimVerdict::not_measured);
}

TEST(Claims, AreNotMeasuredBelowTheSizeFromWhichTheyAreSaid) {
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {fast, slow};
  const auto verdict_at = [&](std::size_t size) {
    result.size = size;
    return judge_claims({from_size(1000, at_least(9, "fast", "slow"))}, result).at(0).verdict;
  };
  EXPECT_EQ(verdict_at(1000), ClaimVerdict::does_not_hold);
  EXPECT_EQ(verdict_at(999), ClaimVerdict::not_measured);
  result.device.kind = "simulator";
  EXPECT_EQ(verdict_at(999), ClaimVerdict::needs_gpu) << "at another size, too";
}

TEST(Claims, NeedAGpu) {
  EXPECT_EQ(judged(1, fast, slow, "simulator").verdict, ClaimVerdict::needs_gpu);
}

TEST(Claims, ThatSomethingIsNoFasterHoldForEqualTimes) {
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {fast, slow, timed("equal", 1.01, Interval{1.0, 1.02})};
  const auto verdict = [&](const std::string& one, const std::string& than) {
    return judge_claims({no_faster(one, than)}, result).at(0).verdict;
  };
  EXPECT_EQ(verdict("slow", "fast"), ClaimVerdict::holds);
  EXPECT_EQ(verdict("fast", "slow"), ClaimVerdict::does_not_hold);
  EXPECT_EQ(verdict("equal", "fast"), ClaimVerdict::inconclusive)
      << "fast may take as little as 0.9 s, or 1.1 s";
}

TEST(Claims, OfCountsAreTestedOnTheSimulator) {
  LessonResult result;
  result.size = 10'000;
  result.device.kind = "simulator";
  result.variants = {{.name = "fast"}, {.name = "slow"}};
  result.variants[0].findings.figures = {{"sectors per load", 4}};
  result.variants[1].findings.figures = {{"sectors per load", 32}};
  const auto judged_at = [&](double ratio) {
    return judge_claims({at_least_fewer(ratio, "sectors per load", "fast", "slow")}, result).at(0);
  };
  EXPECT_EQ(judged_at(8).verdict, ClaimVerdict::holds);
  EXPECT_EQ(judged_at(9).verdict, ClaimVerdict::does_not_hold);
  EXPECT_DOUBLE_EQ(*judged_at(9).ratio, 8);
  result.device.kind = "cuda";
  EXPECT_EQ(judged_at(8).verdict, ClaimVerdict::needs_simulator);
  result.device.kind = "simulator";
  result.variants[1].findings.figures.clear();
  EXPECT_EQ(judged_at(8).verdict, ClaimVerdict::not_measured);
}

TEST(Claims, OfCountsAllowForTheLastWarpAndNeedSomeWarps) {
  LessonResult result;
  result.size = 10'000;
  result.device.kind = "simulator";
  result.variants = {{.name = "fast"}, {.name = "slow"}};
  result.variants[0].findings.figures = {{"sectors per load", 4.02}};
  result.variants[1].findings.figures = {{"sectors per load", 31.8}};
  const auto verdict = [&] {
    return judge_claims({at_least_fewer(8, "sectors per load", "fast", "slow")}, result).at(0).verdict;
  };
  EXPECT_EQ(verdict(), ClaimVerdict::holds);
  result.size = 100;
  EXPECT_EQ(verdict(), ClaimVerdict::not_measured);
}

TEST(Claims, AreNotMeasuredOnAResultThatIsWrong) {
  VariantResult wrong = fast;
  wrong.observed = Outcome::wrong;
  EXPECT_EQ(judged(1, wrong, slow).verdict, ClaimVerdict::not_measured);
}

}  // namespace claims_test
}  // namespace gpulab::run
