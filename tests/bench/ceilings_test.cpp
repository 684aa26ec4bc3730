#include "bench/limits.hpp"

#include "run/fake_device.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace ceilings_test {

constexpr double launch_s = 0.001;
constexpr double rounding_error = 1e-6;  // relative error of the scripted clock
constexpr auto by_default = LimitedBy::as_the_lesson_says;

class DeviceCeilingsTest : public testing::Test {
 protected:
  void add_kernel(const std::string& kernel) {
    device.kernels[kernel] = [](void* const*, const LaunchConfig&) {};
    device.seconds[kernel] = launch_s;
  }

  run::FakeDevice device;
  std::unique_ptr<device::Stream> stream = device.create_stream();
  DeviceCeilings ceilings{device, *stream, 0.01};
};

TEST_F(DeviceCeilingsTest, MoveBytesInTheMixOfReadsAndWritesOfTheProblem) {
  for (const char* kernel : {"stream_read", "stream_copy", "stream_add2"}) add_kernel(kernel);
  const auto ceiling = [&](double read, double written) {
    return ceilings.of({.bytes_read = read, .bytes_written = written}, by_default);
  };
  EXPECT_EQ(ceiling(12e6, 4).what, "read");
  EXPECT_EQ(ceiling(6e6, 6e6).what, "copy");
  EXPECT_EQ(ceiling(8e6, 4e6).what, "two reads, one write");
  EXPECT_NEAR(ceiling(8e6, 4e6).per_s * launch_s / 12e6, 1, rounding_error);
}

TEST_F(DeviceCeilingsTest, AreMeasuredOnce) {
  add_kernel("stream_copy");
  const Traffic traffic{.bytes_read = 4096, .bytes_written = 4096};
  const Ceiling first = ceilings.of(traffic, by_default);
  const std::size_t launches = device.launches["stream_copy"];
  EXPECT_EQ(ceilings.of(traffic, by_default).per_s, first.per_s);
  EXPECT_EQ(device.launches["stream_copy"], launches);
}

TEST_F(DeviceCeilingsTest, CountOperationsWhereTheyAreTheLimit) {
  add_kernel("multiply_add");
  add_kernel("stream_copy");
  const Traffic traffic{.bytes_read = 64, .bytes_written = 64, .limited_by_operations = true};
  const Ceiling ceiling = ceilings.of(traffic, by_default);
  EXPECT_EQ(ceiling.what, "multiply-add");
  // 4096 rounds of 8 multiply-adds in 4 blocks of 256 threads.
  EXPECT_NEAR(ceiling.per_s * launch_s / (2.0 * 4096 * 8 * 4 * 256), 1, rounding_error);
  EXPECT_EQ(ceilings.of(traffic, LimitedBy::memory).what, "copy");
}

TEST_F(DeviceCeilingsTest, CountThreeProductsOfTheTensorCoresAsOne) {
  add_kernel("multiply_add_warpgroups");
  const Ceiling ceiling = ceilings.of({.limited_by_operations = true}, LimitedBy::tensor_cores);
  EXPECT_EQ(ceiling.what, "3xTF32 multiply-add");
  // 1024 rounds of 4 blocks, each of two warpgroups with 64 x 128 sums of 32 products.
  EXPECT_NEAR(ceiling.per_s * launch_s / (2.0 * 1024 * 4 * (2 * 64 * 128 * 32)), 1, rounding_error);
}

TEST_F(DeviceCeilingsTest, CountProductsInHalfPrecision) {
  add_kernel("multiply_add_half");
  const Ceiling ceiling = ceilings.of({.limited_by_operations = true}, LimitedBy::half_precision);
  EXPECT_EQ(ceiling.what, "float16 multiply-add");
  // 1024 rounds of 4 blocks, each of two warpgroups with 64 x 256 sums of 64 products.
  EXPECT_NEAR(ceiling.per_s * launch_s / (2.0 * 1024 * 4 * (2 * 64 * 256 * 64)), 1, rounding_error);
}

TEST_F(DeviceCeilingsTest, CopyBothWaysFromPinnedMemory) {
  device.copy_s = launch_s;
  const Ceiling ceiling = ceilings.of({.bytes_read = 1e6, .bytes_written = 1e6}, LimitedBy::host_link);
  EXPECT_EQ(ceiling.what, "copies both ways at once");
  EXPECT_NEAR(ceiling.per_s * (2 * launch_s) / 2e6, 1, rounding_error)
      << "this device copies one after the other";
  EXPECT_TRUE(device.pinned.empty());
  EXPECT_TRUE(device.allocations.empty());
}

constexpr HostCeilings host_ceilings{
    .read_bytes_per_s = 100, .copy_bytes_per_s = 50, .operations_per_s = 1000};

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

TEST(HostCeilings, TakeBytesThatAreOnlyReadAtTheSpeedOfReading) {
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 200}, host_ceilings), 2);
}

TEST(HostCeilings, TakeAReadForEveryWriteAtTheSpeedOfACopy) {
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 100, .bytes_written = 100}, host_ceilings), 4);
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 300, .bytes_written = 100}, host_ceilings), 6)
      << "200 copied, 200 read";
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 100, .bytes_written = 150}, host_ceilings), 5);
}

TEST(HostCeilings, TakeMemoryOrArithmeticWhicheverLastsLonger) {
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 200, .operations = 1500}, host_ceilings), 2);
  EXPECT_DOUBLE_EQ(min_host_time_s({.bytes_read = 200, .operations = 3000}, host_ceilings), 3);
}

TEST(HostCeilings, AreReachedByAReferenceThatTakesNoLonger) {
  EXPECT_DOUBLE_EQ(fraction_of_ceilings(took(2), {.bytes_read = 200}, host_ceilings), 1);
  EXPECT_DOUBLE_EQ(fraction_of_ceilings(took(8), {.bytes_read = 200}, host_ceilings), 0.25);
}

TEST(HostCeilings, CountTheOperationsThatTheReferenceDoes) {
  ReferenceResult reference = took(4);
  reference.operations = 2000;
  EXPECT_DOUBLE_EQ(fraction_of_ceilings(reference, {.operations = 8000}, host_ceilings), 0.5);
}

}  // namespace ceilings_test
}  // namespace gpulab::bench
