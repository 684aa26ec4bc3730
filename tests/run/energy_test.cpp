#include "run/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gpulab::run {
namespace {

// A GPU that draws so many watts and needs so long for a sample. Its counter moves at so many seconds.
class ScriptedGpu : public Stopwatch {
 public:
  ScriptedGpu(double watts, double sample_s, double counter_period_s)
      : watts_(watts), sample_s_(sample_s), period_s_(counter_period_s) {}

  void take(std::size_t count, std::vector<double>& samples_s) override {
    samples_s.insert(samples_s.end(), count, sample_s_);
    now_s_ += static_cast<double>(count) * sample_s_;
  }
  double now_s() override { return now_s_; }
  std::optional<double> joules() {
    now_s_ += 1e-4;  // to ask takes time
    return watts_ * std::floor(now_s_ / period_s_) * period_s_;
  }

 private:
  double watts_, sample_s_, period_s_;
  double now_s_ = 1000.03;
};

TEST(MeasuredEnergy, IsDividedByTheRuns) {
  ScriptedGpu gpu(500, 0.005, 0.1);
  const auto energy = measure_energy(gpu, 50, [&] { return gpu.joules(); });
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->watts, 500, 10);
  EXPECT_NEAR(energy->joules_per_run, 500 * 0.0051 / 50, 500 * 0.0051 / 50 * 0.05);
  EXPECT_GE(energy->seconds, 0.5);
}

TEST(MeasuredEnergy, DoesNotDependOnWhereInThePeriodOfTheCounterItBegins) {
  ScriptedGpu gpu(500, 0.005, 0.1);
  std::vector<double> thrown_away;
  for (int i = 0; i < 10; ++i) {
    gpu.take(3, thrown_away);
    EXPECT_NEAR(measure_energy(gpu, 1, [&] { return gpu.joules(); })->watts, 500, 15);
  }
}

TEST(MeasuredEnergy, IsNoneWhereNobodyCounts) {
  ScriptedGpu gpu(500, 0.005, 0.1);
  EXPECT_FALSE(measure_energy(gpu, 1, [] { return std::nullopt; }));
}

TEST(MeasuredEnergy, IsNoneWhereTheCounterStandsStill) {
  ScriptedGpu gpu(500, 0.005, 0.1);
  EXPECT_FALSE(measure_energy(gpu, 1, [] { return std::optional(17.0); }));
  EXPECT_LT(gpu.now_s(), 1000.03 + 2);
}

}  // namespace
}  // namespace gpulab::run
