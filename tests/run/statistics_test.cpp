#include <gtest/gtest.h>

#include "run/sampling.hpp"

namespace gpulab::run {
namespace {

TEST(Summarise, TakesTheIntervalFromTheSortedSamples) {
  const Timing timing = summarise({10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, StopReason::sample_limit);
  EXPECT_EQ(timing.median_s, 5.5);
  ASSERT_TRUE(timing.confidence_s);
  EXPECT_EQ(timing.confidence_s->low, 2);  // ranks 2 and 9 of 10
  EXPECT_EQ(timing.confidence_s->high, 9);
  EXPECT_EQ(timing.stop, StopReason::sample_limit);
}

TEST(Summarise, KeepsEverySampleInTheOrderItWasTakenIn) {
  const std::vector<double> samples = {3, 1, 1000, 2};
  const Timing timing = summarise(samples, StopReason::time_budget);
  EXPECT_EQ(timing.samples_s, samples);
  EXPECT_FALSE(timing.confidence_s);
}

TEST(Summarise, NeedsASample) {
  EXPECT_THROW(summarise({}, StopReason::converged), std::logic_error);
}

}  // namespace
}  // namespace gpulab::run
