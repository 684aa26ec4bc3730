#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lesson.hpp"
#include "core/limits_result.hpp"
#include "device/device.hpp"

namespace gpulab::run {

// How many bytes are read for each that is written. Memory is slower where reads and writes alternate.
enum class AccessMix { read, two_reads_one_write, copy };

// The nearest to what a problem has to move.
AccessMix mix_of(const Traffic& traffic);

// Measures what a device can do at most, by the kernels of kernels/ceilings.cu, as lessons' variants are
// measured: cold, the median of many launches. Each measurement is taken once.
class DeviceCeilings {
 public:
  DeviceCeilings(device::Device& device, device::Stream& stream, double time_budget_s);

  // Throws DeviceError, where there is no memory for it.
  Ceiling of(const Traffic& traffic);

 private:
  double bytes_per_s(AccessMix mix, double bytes);
  double operations_per_s();
  double median_s(const std::string& kernel, const LaunchConfig& config, const Signature& signature,
                  std::vector<std::uint64_t> values);

  device::Device& device_;
  device::Stream& stream_;
  double time_budget_s_;
  std::unique_ptr<device::Module> module_;
  std::map<std::pair<AccessMix, double>, double> bytes_per_s_;
  double operations_per_s_ = 0;
};

// What of the limits is to be measured, and how.
struct LimitsOptions {
  std::uint64_t seed = 42;
  double time_budget_s = 0.5;  // for each thing that is timed
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

// Measures the rungs at the limit of these lessons, their yardsticks and the ceilings of a GPU. Throws
// DeviceError.
LimitsResult measure_limits(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                            device::Device& device);

}  // namespace gpulab::run
