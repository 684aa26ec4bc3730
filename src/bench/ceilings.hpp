#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "bench/limits.hpp"
#include "device/device.hpp"
#include "lesson/problem.hpp"
#include "lesson/result.hpp"

namespace gpulab::bench {

// What this machine's memory and arithmetic allow to all its threads together.
struct HostCeilings {
  double read_bytes_per_s = 0;
  // Read and written bytes, of the better of two copies: past the caches, or not.
  double copy_bytes_per_s = 0;
  double operations_per_s = 0;  // float32 additions and multiplications, in fused multiply-adds
};

// Two arrays of so many bytes together are four times as large as the last cache that the system names, and
// have at least half a GiB: what lies in a cache would be taken for what memory allows.
std::size_t default_ceiling_array_bytes();

// Each of the three is the best that was reached in so many seconds of wall time; setting up takes as long
// again. Throws std::bad_alloc where there is no memory for the arrays.
HostCeilings measure_host_ceilings(double seconds, std::size_t array_bytes = default_ceiling_array_bytes());

// The least time, in seconds, in which a machine with these ceilings could move so much and do the
// operations: for every byte that is written one is read at the speed of a copy, the others at that of
// reading (or copying, where more is written), and arithmetic is done meanwhile. Nothing may be in a cache
// beforehand.
double min_host_time_s(const Traffic& traffic, const HostCeilings& ceilings);

// That time by the median of the reference: 1 is as fast as the machine allows. It can be more, where data
// fit a cache.
double fraction_of_ceilings(const ReferenceResult& reference, const Traffic& traffic,
                            const HostCeilings& ceilings);

// How many bytes are read for each that is written. Memory is slower where reads and writes alternate.
enum class AccessMix { read, two_reads_one_write, copy };

// The nearest to what a problem has to move.
AccessMix mix_of(const Traffic& traffic);

// Measures what a device can do at most, by kernels and copies that do nothing besides, as lessons' variants
// are measured: cold, the median of many launches. Each measurement is taken once.
class DeviceCeilings {
 public:
  DeviceCeilings(device::Device& device, device::Stream& stream, double time_budget_s);

  // The ceiling of what has that traffic. Throws DeviceError, where there is no memory for it or the device
  // lacks the instructions.
  Ceiling of(const Traffic& traffic, LimitedBy limit = LimitedBy::as_the_lesson_says);

 private:
  Ceiling once(const std::string& what, double bytes, const std::function<double()>& per_s);
  double moved_bytes_per_s(AccessMix mix, double bytes);
  double multiply_adds_per_s();
  double split_multiply_adds_per_s();
  double copied_bytes_per_s(double bytes_each_way);
  double median_s(const std::function<void()>& work);

  device::Device& device_;
  device::Stream& stream_;
  double time_budget_s_;
  std::map<std::pair<std::string, double>, double> known_;  // by what is done, with how many bytes
};

}  // namespace gpulab::bench
