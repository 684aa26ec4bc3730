#include "run/sampling.hpp"

#include <gtest/gtest.h>

namespace gpulab::run {
namespace {

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
