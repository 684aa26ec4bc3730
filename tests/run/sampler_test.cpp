#include "run/sampling.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace gpulab::run {
namespace {

// Time passes only when a sample is taken. The n-th sample of all, warm-up included, takes what the script
// says.
class ScriptedStopwatch : public Stopwatch {
 public:
  explicit ScriptedStopwatch(std::function<double(std::size_t)> script, double overhead_s = 0)
      : script_(std::move(script)), overhead_s_(overhead_s) {}

  void take(std::size_t count, std::vector<double>& samples_s) override {
    batches.push_back(count);
    for (std::size_t i = 0; i < count; ++i) {
      samples_s.push_back(script_(taken_++));
      now_s_ += samples_s.back() + overhead_s_;
    }
  }
  double now_s() override { return now_s_; }

  std::vector<std::size_t> batches;

 private:
  std::function<double(std::size_t)> script_;
  double overhead_s_;
  std::size_t taken_ = 0;
  double now_s_ = 1000;
};

// 1, 2, 1, 2, ... times a second count: the interval of the median never gets narrow.
std::function<double(std::size_t)> alternating(double s) {
  return [s](std::size_t i) { return i % 2 == 0 ? s : 2 * s; };
}

std::function<double(std::size_t)> constant(double s) {
  return [s](std::size_t) { return s; };
}

TEST(Sampler, StopsAtTheFirstCheckWhenTheSamplesAgree) {
  ScriptedStopwatch stopwatch(constant(0.001));
  const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::converged);
  EXPECT_EQ(timing.samples_s.size(), 30u);
  EXPECT_EQ(timing.median_s, 0.001);
}

TEST(Sampler, StopsAtTheSampleLimitWhenTheyNeverAgree) {
  ScriptedStopwatch stopwatch(alternating(1e-6));
  const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0, .max_samples = 100});
  EXPECT_EQ(timing.stop, StopReason::sample_limit);
  EXPECT_EQ(timing.samples_s.size(), 100u);
}

TEST(Sampler, StopsWhenTheTimeIsSpent) {
  ScriptedStopwatch stopwatch(alternating(0.001));
  const double start = stopwatch.now_s();
  const Timing timing = sample(stopwatch, {.time_budget_s = 0.25, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::time_budget);
  EXPECT_GT(stopwatch.now_s() - start, 0.24);
  EXPECT_LE(stopwatch.now_s() - start, 0.255);
}

TEST(Sampler, LooksAtTheIntervalAtDoublingsOnly) {
  // 35 samples that vary, then equal ones that are slower. The interval lies between ranks 22 and 39 of 60,
  // so it still reaches into those that vary; at 120 it lies between ranks 49 and 72.
  ScriptedStopwatch stopwatch(
      [](std::size_t i) { return i < 35 ? 0.001 + 1e-5 * static_cast<double>(i) : 0.002; });
  const Timing timing = sample(stopwatch, {.time_budget_s = 10, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::converged);
  EXPECT_EQ(timing.samples_s.size(), 120u);
}

TEST(Sampler, ThrowsTheWarmUpAway) {
  // 20 slow samples of 10 ms are 0.2 s of warm-up, all after them takes 1 ms.
  ScriptedStopwatch stopwatch([](std::size_t i) { return i < 20 ? 0.010 : 0.001; });
  const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0.195});
  EXPECT_EQ(timing.samples_s, std::vector<double>(30, 0.001));
}

TEST(Sampler, WarmsUpByTimeAndNotByCount) {
  for (const double duration_s : {0.001, 0.01}) {
    std::size_t taken = 0;
    ScriptedStopwatch stopwatch([&](std::size_t) { return ++taken, duration_s; });
    const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0.5});
    const double warm_up_s = duration_s * static_cast<double>(taken - timing.samples_s.size());
    EXPECT_NEAR(warm_up_s, 0.5, 1.5 * duration_s);
  }
}

TEST(Sampler, MeasuresOnceWhatIsSlowerThanTheBudget) {
  ScriptedStopwatch stopwatch(constant(30));
  const Timing timing = sample(stopwatch, {.time_budget_s = 2, .warm_up_s = 0});
  EXPECT_EQ(timing.samples_s, std::vector<double>{30});
  EXPECT_EQ(timing.stop, StopReason::time_budget);
  EXPECT_FALSE(timing.confidence_s);
}

TEST(Sampler, ChecksSlowThingsAtSixSamplesAlready) {
  ScriptedStopwatch stopwatch(constant(0.1));
  const Timing timing = sample(stopwatch, {.time_budget_s = 2, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::converged);
  EXPECT_EQ(timing.samples_s.size(), 6u);
}

TEST(Sampler, LetsTheBudgetRuleOverTheSixSamples) {
  ScriptedStopwatch stopwatch(constant(0.75));
  const Timing timing = sample(stopwatch, {.time_budget_s = 2, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::time_budget);
  EXPECT_EQ(timing.samples_s.size(), 2u);  // a third would end at 2.25 s
}

TEST(Sampler, CountsWhatASampleCostsBesidesItself) {
  ScriptedStopwatch stopwatch(alternating(1e-6), 0.01);
  const double start = stopwatch.now_s();
  const Timing timing = sample(stopwatch, {.time_budget_s = 0.5, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::time_budget);
  EXPECT_LE(stopwatch.now_s() - start, 0.5);
}

TEST(Sampler, LosesLittleWhenTheThingSuddenlyGoesSlower) {
  // From the 200th sample on ten times slower: a batch planned to last a tenth of the budget lasts all of it.
  ScriptedStopwatch stopwatch([](std::size_t i) {
    const double spread = 1 + 0.02 * static_cast<double>(i * 7 % 50);
    return (i < 200 ? 0.001 : 0.01) * spread;
  });
  const double start = stopwatch.now_s();
  const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::time_budget);
  EXPECT_LE(stopwatch.now_s() - start, 2.0);
}

TEST(Sampler, StartsWithTheFirstBatchAndAtMostDoubles) {
  ScriptedStopwatch stopwatch(alternating(1e-6));
  sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0, .first_batch = 2});
  EXPECT_EQ(stopwatch.batches.front(), 2u);
  std::size_t largest = 2;
  for (const std::size_t count : stopwatch.batches) {
    EXPECT_LE(count, std::max<std::size_t>(2 * largest, 2));
    largest = std::max(largest, count);
  }
  EXPECT_EQ(std::accumulate(stopwatch.batches.begin(), stopwatch.batches.end(), std::size_t{0}), 1000u);
}

TEST(Sampler, RefusesAStopwatchThatTakesNoSample) {
  class Broken : public Stopwatch {
    void take(std::size_t, std::vector<double>&) override {}
    double now_s() override { return 0; }
  } stopwatch;
  EXPECT_THROW(sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0}), std::logic_error);
}

// A machine that sleeps, or whose clock somebody sets, while samples are taken.
class JumpingStopwatch : public ScriptedStopwatch {
 public:
  JumpingStopwatch(double jump_s, std::size_t at_sample)
      : ScriptedStopwatch(alternating(0.001)), jump_s_(jump_s), at_(at_sample) {}

  void take(std::size_t count, std::vector<double>& samples_s) override {
    ScriptedStopwatch::take(count, samples_s);
    taken_ += count;
  }
  double now_s() override { return ScriptedStopwatch::now_s() + (taken_ >= at_ ? jump_s_ : 0); }

 private:
  double jump_s_;
  std::size_t at_, taken_ = 0;
};

TEST(Sampler, EndsWithItsSamplesWhenTheClockJumpsAhead) {
  JumpingStopwatch stopwatch(3600, 10);
  const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::time_budget);
  EXPECT_GE(timing.samples_s.size(), 10u);
}

TEST(Sampler, EndsAtTheSampleLimitWhenTheClockJumpsBack) {
  JumpingStopwatch stopwatch(-3600, 10);
  const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0, .max_samples = 200});
  EXPECT_EQ(timing.stop, StopReason::sample_limit);
  EXPECT_EQ(timing.samples_s.size(), 200u);
}

// A GPU whose clock falls from sample to sample.
class ThrottledStopwatch : public ScriptedStopwatch {
 public:
  ThrottledStopwatch() : ScriptedStopwatch(alternating(0.001)) {}
  std::optional<double> clock_hz() override { return clock_hz_ -= 1e6; }

 private:
  double clock_hz_ = 1980e6;
};

TEST(Sampler, NotesTheClockOfEverySample) {
  ThrottledStopwatch stopwatch;
  const Timing timing = sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0.1, .max_samples = 100});
  ASSERT_EQ(timing.clocks_hz.size(), timing.samples_s.size());
  EXPECT_GT(timing.clocks_hz.front(), timing.clocks_hz.back());
}

TEST(Sampler, HasNoClocksWhereNobodyTells) {
  ScriptedStopwatch stopwatch(constant(0.001));
  EXPECT_TRUE(sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0}).clocks_hz.empty());
}

}  // namespace
}  // namespace gpulab::run
