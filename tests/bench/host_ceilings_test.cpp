#include "bench/ceilings.hpp"

#include <gtest/gtest.h>

namespace gpulab::bench {
namespace {

constexpr HostCeilings ceilings{.read_bytes_per_s = 100, .copy_bytes_per_s = 50, .operations_per_s = 1000};

ReferenceResult took(double seconds) {
  return {.timing = {.median_s = seconds}};
}

TEST(HostCeilings, AreMeasuredInArraysOfAnySize) {
  for (const std::size_t bytes : {0, 1, 1 << 20}) {
    const HostCeilings measured = measure_host_ceilings(1e-9, bytes);
    EXPECT_GT(measured.read_bytes_per_s, 0);
    EXPECT_GT(measured.copy_bytes_per_s, 0);
    EXPECT_GT(measured.operations_per_s, 0);
  }
}

TEST(HostCeilings, TakeWhatIsOnlyReadAtTheSpeedOfReading) {
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 200}, ceilings), 2);
}

TEST(HostCeilings, TakeAReadForEveryWriteAtTheSpeedOfACopy) {
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 100, .bytes_written = 100}, ceilings), 4);
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 300, .bytes_written = 100}, ceilings), 6);
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 100, .bytes_written = 150}, ceilings), 5);
}

TEST(HostCeilings, TakeMemoryOrArithmeticWhicheverLastsLonger) {
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 200, .operations = 1500}, ceilings), 2);
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 200, .operations = 3000}, ceilings), 3);
}

TEST(HostCeilings, AreReachedByAReferenceThatTakesNoLonger) {
  EXPECT_DOUBLE_EQ(fraction_of_ceilings(took(2), {.bytes_read = 200}, ceilings), 1);
  EXPECT_DOUBLE_EQ(fraction_of_ceilings(took(8), {.bytes_read = 200}, ceilings), 0.25);
}

TEST(HostCeilings, CountTheOperationsThatTheReferenceDoes) {
  ReferenceResult reference = took(4);
  reference.operations = 2000;
  EXPECT_DOUBLE_EQ(fraction_of_ceilings(reference, {.operations = 8000}, ceilings), 0.5);
}

}  // namespace
}  // namespace gpulab::bench
