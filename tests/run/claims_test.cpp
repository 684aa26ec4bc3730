#include "run/claims.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

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

TEST(Claims, NeedAGpu) {
  EXPECT_EQ(judged(1, fast, slow, "simulator").verdict, ClaimVerdict::needs_gpu);
}

TEST(Claims, AreNotMeasuredOnAResultThatIsWrong) {
  VariantResult wrong = fast;
  wrong.observed = Outcome::wrong;
  EXPECT_EQ(judged(1, wrong, slow).verdict, ClaimVerdict::not_measured);
}

}  // namespace
}  // namespace gpulab
