#include "run/sampling.hpp"

#include <gtest/gtest.h>

#include "run/sampling.hpp"

namespace gpulab::run {
namespace {

using Warnings = std::vector<std::string>;

Warnings warnings_of(const std::vector<double>& samples_s, StopReason stop = StopReason::time_budget) {
  return timing_warnings(summarise(samples_s, stop));
}

std::vector<double> repeated(std::initializer_list<std::pair<std::size_t, double>> parts) {
  std::vector<double> samples_s;
  for (const auto& [count, value] : parts) samples_s.insert(samples_s.end(), count, value);
  return samples_s;
}

TEST(TimingWarnings, AreNoneForSamplesThatAgree) {
  EXPECT_EQ(warnings_of(std::vector<double>(30, 0.001), StopReason::converged), Warnings{});
}

TEST(TimingWarnings, TellOfTooFewSamplesForAnInterval) {
  EXPECT_EQ(warnings_of({30}),
            Warnings{"only 1 sample, too few for a confidence interval: allow more time, or "
                     "ask for a smaller size"});
  EXPECT_EQ(warnings_of(std::vector<double>(5, 1)).size(), 1u);
  EXPECT_EQ(warnings_of(std::vector<double>(6, 1)).size(), 0u);
}

TEST(TimingWarnings, TellOfAMedianThatStaysUncertain) {
  // Ranks 1 and 6 of 6: from 9 to 11 around 10.
  EXPECT_EQ(
      warnings_of({10, 9, 11, 10, 10, 10}),
      Warnings{"the median is uncertain by 10.0 % after 6 samples: allow more time, or see what else runs "
               "on this machine"});
}

TEST(TimingWarnings, DoNotCallASmallUncertaintyUnstable) {
  EXPECT_EQ(warnings_of({10, 9.95, 10.05, 10, 10, 10}), Warnings{});
}

TEST(TimingWarnings, TellOfADrift) {
  EXPECT_EQ(
      warnings_of(repeated({{10, 1.0}, {10, 1.05}, {10, 1.1}}), StopReason::converged),
      Warnings{"the last third of the samples is 10.0 % slower than the first: clocks or load changed, so "
               "repeat it with a longer warm-up"});
  EXPECT_EQ(
      warnings_of(repeated({{10, 1.0}, {10, 0.95}, {10, 0.9}}), StopReason::converged),
      Warnings{"the last third of the samples is 10.0 % faster than the first: clocks or load changed, so "
               "repeat it with a longer warm-up"});
}

TEST(TimingWarnings, DoNotCallNoiseOrALittleADrift) {
  EXPECT_EQ(warnings_of(repeated({{10, 1.0}, {10, 1.01}, {10, 1.02}}), StopReason::converged), Warnings{});
  std::vector<double> noisy;  // the medians of the thirds are 20 % apart, their intervals overlap
  for (const double third : {1.0, 1.1, 1.2})
    for (const double noise : {0.7, 0.8, 0.99, 1.01, 1.2, 1.3}) noisy.push_back(third * noise);
  EXPECT_EQ(warnings_of(noisy, StopReason::converged), Warnings{});
}

TEST(TimingWarnings, TellOfASlowFirstSample) {
  EXPECT_EQ(
      warnings_of(repeated({{1, 3.5}, {29, 1.0}}), StopReason::converged),
      Warnings{"the first sample took 3.5 times the median: something was set up in it, so warm up longer"});
}

TEST(TimingWarnings, DoNotBlameTheFirstSampleWhenALaterOneIsAsSlow) {
  EXPECT_EQ(warnings_of(repeated({{1, 3.5}, {20, 1.0}, {1, 4.0}, {8, 1.0}}), StopReason::converged),
            Warnings{});
  EXPECT_EQ(warnings_of(repeated({{1, 1.9}, {29, 1.0}}), StopReason::converged), Warnings{});
}

TEST(TimingWarnings, TellOfALaunchTooShortForTheEventsThatTimeIt) {
  EXPECT_EQ(
      warnings_of(std::vector<double>(30, 9.9e-6), StopReason::converged),
      Warnings{"the median is below 10 us and the events that time it resolve about 0.5 us, so differences "
               "between launches this short mean little: a larger size would show more"});
  EXPECT_EQ(warnings_of(std::vector<double>(30, 10e-6), StopReason::converged), Warnings{});
}

Timing timing_of(double seconds) {
  return summarise(std::vector<double>(30, seconds), StopReason::converged);
}

constexpr Traffic gigabyte{.bytes_read = 0.75e9, .bytes_written = 0.25e9};

TEST(PeakWarning, TellsOfMoreTrafficThanTheMemoryAllows) {
  EXPECT_EQ(peak_warning(timing_of(0.8e-3), gigabyte, 1e12),
            "125.0 % of the theoretical peak, and above 102 % it is not a DRAM figure: the data stays in a "
            "cache, or the lesson counts more bytes than it must move");
}

TEST(PeakWarning, AllowsForTheErrorOfAMeasurement) {
  EXPECT_FALSE(peak_warning(timing_of(1e-3), gigabyte, 1e12));
  EXPECT_FALSE(peak_warning(timing_of(1e-3 / 1.019), gigabyte, 1e12));
  EXPECT_TRUE(peak_warning(timing_of(1e-3 / 1.021), gigabyte, 1e12));
}

TEST(PeakWarning, IsNoneWhereThePeakOrTheTrafficIsNotKnown) {
  EXPECT_FALSE(peak_warning(timing_of(1e-6), gigabyte, 0));
  EXPECT_FALSE(peak_warning(timing_of(1e-6), Traffic{}, 1e12));
}

TEST(TimingWarnings, TellOfAClockThatMoves) {
  Timing timing = summarise(std::vector<double>(30, 0.001), StopReason::converged);
  timing.clocks_hz = std::vector<double>(30, 1.98e9);
  EXPECT_EQ(timing_warnings(timing), Warnings{});
  timing.clocks_hz.back() = 1.755e9;
  ASSERT_EQ(timing_warnings(timing).size(), 1u);
  EXPECT_NE(timing_warnings(timing).front().find("moved between 1 755 MHz and 1 980 MHz"), std::string::npos)
      << timing_warnings(timing).front();
}

}  // namespace
}  // namespace gpulab::run
