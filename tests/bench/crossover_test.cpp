#include "bench/crossover.hpp"

#include "bench/bench_fixtures.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace {

BenchRow timed(const std::string& variant, std::size_t size, std::map<BenchTime, double> us) {
  BenchRow row = right_row(some_case(variant, size));
  if (is_reference(variant)) row.kind = BenchKind::cpu;
  for (const auto& [time, value] : us) row.times[time] = taking_us(value);
  return row;
}

// Returns times of a GPU that needs 10 us at any size, and 10 us more to copy each 1000 elements. A CPU
// thread needs 1 us for 100 elements.
BenchResult measured(const std::vector<std::size_t>& sizes) {
  std::vector<BenchRow> rows;
  for (const std::size_t size : sizes) {
    const auto n = static_cast<double>(size);
    rows.push_back(timed(plain_reference, size, {{BenchTime::cpu, n / 100}}));
    rows.push_back(timed(openmp_reference, size, {{BenchTime::cpu, n / 400 + 5}}));
    rows.push_back(timed(
        "slow", size, {{BenchTime::launch, 30}, {BenchTime::to_device, n / 100}, {BenchTime::to_host, 5}}));
    rows.push_back(timed(
        "fast", size, {{BenchTime::launch, 10}, {BenchTime::to_device, n / 100}, {BenchTime::to_host, 5}}));
  }
  return on_gpu(std::move(rows));
}

TEST(Crossover, IsWhereBothTakeTheSameTime) {
  const CrossoverResult result = crossovers(measured({100, 500, 2000, 10000})).at(0);
  EXPECT_EQ(result.one_thread.kind, Crossing::Kind::from);
  // Exact, since the loop's time is a power of the size, and the GPU's is constant.
  EXPECT_NEAR(result.one_thread.size, 1000, 1e-6);
}

TEST(Crossover, IsOfTheFastestVariantAtEachSize) {
  const CrossoverResult result = crossovers(measured({100, 10000})).at(0);
  for (const CrossoverPoint& point : result.points) EXPECT_EQ(point.variant, "fast");
}

TEST(Crossover, SaysWhereTheGpuNeverWins) {
  // The copies alone take as long as the loop.
  EXPECT_EQ(crossovers(measured({100, 500, 2000, 10000})).at(0).one_thread_with_copies.kind,
            Crossing::Kind::never);
}

TEST(Crossover, SaysWhereTheGpuAlwaysWins) {
  EXPECT_EQ(crossovers(measured({2000, 10000})).at(0).one_thread.kind, Crossing::Kind::always);
}

TEST(Crossover, IsAfterTheLastSizeAtWhichTheCpuWins) {
  BenchResult noisy = measured({100, 2000, 4000, 10000});
  for (BenchRow& row : noisy.rows)
    if (row.what.size == 4000 && row.kind != BenchKind::cpu)
      row.times[BenchTime::launch] = taking_us(row.what.variant == "fast" ? 50 : 60);
  const Crossing crossing = crossovers(noisy).at(0).one_thread;
  EXPECT_EQ(crossing.kind, Crossing::Kind::from);
  EXPECT_GT(crossing.size, 4000);
}

TEST(Crossover, IsNotMeasuredWithoutTheTimesOfTheCpu) {
  BenchResult result = measured({100, 10000});
  std::erase_if(result.rows, [](const BenchRow& row) { return row.what.variant == plain_reference; });
  EXPECT_EQ(crossovers(result).at(0).one_thread.kind, Crossing::Kind::not_measured);
  EXPECT_NE(crossovers(result).at(0).all_threads.kind, Crossing::Kind::not_measured);
}

TEST(Crossover, LeavesOutResultsThatAreWrong) {
  BenchResult result = measured({100, 10000});
  for (BenchRow& row : result.rows)
    if (row.what.variant == "fast") row.valid = false;
  const CrossoverResult without = crossovers(result).at(0);
  for (const CrossoverPoint& point : without.points) EXPECT_EQ(point.variant, "slow");
}

}  // namespace
}  // namespace gpulab::bench
