#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/limits_result.hpp"
#include "device/device.hpp"

namespace gpulab::run {

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

}  // namespace gpulab::run
