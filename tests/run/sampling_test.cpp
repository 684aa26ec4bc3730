#include "run/sampling.hpp"

#include "test.hpp"

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

// Returns durations of s and 2 s in turn, so that the interval of the median never gets narrow.
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

TEST(Sampler, StopsAtTheSampleLimitWhenTheSamplesNeverAgree) {
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
  // 20 slow samples of 10 ms are 0.2 s of warm-up; each sample after them takes 1 ms.
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

TEST(Sampler, ChecksSlowWorkAfterSixSamples) {
  ScriptedStopwatch stopwatch(constant(0.1));
  const Timing timing = sample(stopwatch, {.time_budget_s = 2, .warm_up_s = 0});
  EXPECT_EQ(timing.stop, StopReason::converged);
  EXPECT_EQ(timing.samples_s.size(), 6u);
}

TEST(Sampler, StopsAtTheBudgetBeforeTheSixthSample) {
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

TEST(Sampler, OverrunsTheBudgetLittleWhenSamplesSuddenlyGetSlower) {
  // The 200th sample begins a slowdown by ten: a batch planned for a tenth of the budget takes all of it.
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
  EXPECT_EQ(std::accumulate(stopwatch.batches.begin(), stopwatch.batches.end(), std::size_t{0}), 1000u)
      << "max_samples, where nothing else is said";
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
      : ScriptedStopwatch(alternating(0.001)), jump_s_(jump_s), at_sample_(at_sample) {}

  void take(std::size_t count, std::vector<double>& samples_s) override {
    ScriptedStopwatch::take(count, samples_s);
    taken_ += count;
  }
  double now_s() override { return ScriptedStopwatch::now_s() + (taken_ >= at_sample_ ? jump_s_ : 0); }

 private:
  double jump_s_;
  std::size_t at_sample_, taken_ = 0;
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

TEST(Sampler, HasNoClocksWhereTheStopwatchTellsNone) {
  ScriptedStopwatch stopwatch(constant(0.001));
  EXPECT_TRUE(sample(stopwatch, {.time_budget_s = 1, .warm_up_s = 0}).clocks_hz.empty());
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

constexpr double gpu_watts = 500, gpu_sample_s = 0.005, counter_period_s = 0.1;

// A GPU with this power and duration of a sample. Its energy counter moves once in every period.
class ScriptedGpu : public Stopwatch {
 public:
  void take(std::size_t count, std::vector<double>& samples_s) override {
    samples_s.insert(samples_s.end(), count, gpu_sample_s);
    now_s_ += static_cast<double>(count) * gpu_sample_s;
  }
  double now_s() override { return now_s_; }
  std::optional<double> joules() {
    now_s_ += 1e-4;  // reading the counter takes time
    return gpu_watts * std::floor(now_s_ / counter_period_s) * counter_period_s;
  }

 private:
  double now_s_ = 1000.03;
};

TEST(MeasuredEnergy, IsDividedByTheRuns) {
  ScriptedGpu gpu;
  const auto energy = measure_energy(gpu, 50, [&] { return gpu.joules(); });
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->watts, gpu_watts, 10);
  const double joules_per_run = gpu_watts * (gpu_sample_s + 1e-4) / 50;  // a sample, and reading the counter
  EXPECT_NEAR(energy->joules_per_run, joules_per_run, 0.05 * joules_per_run);
  EXPECT_GE(energy->seconds, 0.5);
}

TEST(MeasuredEnergy, DoesNotDependOnWhereInThePeriodOfTheCounterItBegins) {
  ScriptedGpu gpu;
  std::vector<double> thrown_away;
  for (int i = 0; i < 10; ++i) {
    gpu.take(3, thrown_away);
    EXPECT_NEAR(measure_energy(gpu, 1, [&] { return gpu.joules(); })->watts, gpu_watts, 15);
  }
}

TEST(MeasuredEnergy, IsNoneWithoutACounter) {
  ScriptedGpu gpu;
  EXPECT_FALSE(measure_energy(gpu, 1, [] { return std::nullopt; }));
}

TEST(MeasuredEnergy, IsNoneWhereTheCounterStandsStill) {
  ScriptedGpu gpu;
  const double start_s = gpu.now_s();
  EXPECT_FALSE(measure_energy(gpu, 1, [] { return std::optional(17.0); }));
  EXPECT_LT(gpu.now_s(), start_s + 2);
}

TEST(HostStopwatch, DoesTheWorkOnceForEverySample) {
  int done = 0;
  HostStopwatch stopwatch([&] { ++done; });
  std::vector<double> samples_s = {42};
  stopwatch.take(3, samples_s);
  EXPECT_EQ(done, 3);
  ASSERT_EQ(samples_s.size(), 4u);
  EXPECT_EQ(samples_s[0], 42);
}

TEST(HostStopwatch, MeasuresOnTheClockThatItShows) {
  double seen_start = 0, seen_end = 0;
  HostStopwatch clock([] {});
  HostStopwatch stopwatch([&] {
    seen_start = clock.now_s();
    while (clock.now_s() == seen_start) {
    }
    seen_end = clock.now_s();
  });
  std::vector<double> samples_s;
  const double before = stopwatch.now_s();
  stopwatch.take(1, samples_s);
  EXPECT_GE(samples_s[0], seen_end - seen_start);
  EXPECT_LE(samples_s[0], stopwatch.now_s() - before);
}

}  // namespace
}  // namespace gpulab::run
