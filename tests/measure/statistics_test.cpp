#include "measure/sampling.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace gpulab::measure {
namespace {

TEST(Median, IsTheOneInTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 100}), 3.5);
}

TEST(Median, NeedsASample) {
  EXPECT_THROW(median({}), std::logic_error);
}

TEST(MedianRanks, DoNotExistBelowSixSamples) {
  for (std::size_t count = 0; count < 6; ++count) EXPECT_FALSE(median_ranks(count)) << count;
}

// Computed with exact integers: the largest l for which 2 * (C(n, 0) + ... + C(n, l - 1)) <= 0.05 * 2^n.
TEST(MedianRanks, AreThoseOfTheExactBinomial) {
  const std::vector<std::pair<std::size_t, Ranks>> exact_ranks = {
      {6, {1, 6}},        {7, {1, 7}},        {8, {1, 8}},           {10, {2, 9}},     {20, {6, 15}},
      {30, {10, 21}},     {50, {18, 33}},     {100, {40, 61}},       {200, {86, 115}}, {1000, {469, 532}},
      {1074, {505, 570}}, {1075, {505, 571}}, {10'000, {4902, 5099}}};
  for (const auto& [count, ranks] : exact_ranks) EXPECT_EQ(median_ranks(count), ranks) << count;
}

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
}  // namespace gpulab::measure
