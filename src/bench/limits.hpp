#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "device/device.hpp"
#include "lesson/lesson.hpp"
#include "lesson/problem.hpp"
#include "lesson/result.hpp"

namespace gpulab::bench {

// Highest rate measured on the device for the same bytes or operations, with no other work.
struct Ceiling {
  static constexpr const char* multiply_add = "multiply-add";
  static constexpr const char* split_multiply_add = "3xTF32 multiply-add";
  static constexpr const char* half_multiply_add = "float16 multiply-add";

  std::string what;  // one of these or, for memory, "read", "copy", "two reads, one write"
  double per_s = 0;  // in bytes or floating-point operations

  bool is_of_arithmetic() const {
    return what == multiply_add || what == split_multiply_add || what == half_multiply_add;
  }
};

struct LimitResult {
  std::string lesson;
  LimitCase limit_case;
  std::string problem;
  Traffic traffic;  // as the ceiling's rate counts it
  VariantResult variant;
  std::optional<VariantResult> yardstick;  // none where its library is missing
  Ceiling ceiling;
  std::optional<ReferenceResult> reference;     // in OpenMP
  std::optional<ReferenceResult> host_library;  // on the same threads; none where the library is missing
  // Fraction of the CPU's ceilings that the reference reached; above 1 if its data are in caches.
  std::optional<double> reference_fraction;
};

// Wall-clock times of a kernel on the simulated device.
struct SimulationResult {
  std::string lesson;
  LimitCase limit_case;
  std::string problem;
  VariantResult on_one_core, on_all_cores;
  std::optional<ReferenceResult> host_library;  // the same kernel in OpenCL; none where OpenCL is missing
};

struct LimitsResult {
  DeviceProperties device;
  std::uint64_t seed = 0;
  std::vector<LimitResult> cases;           // on a GPU
  std::vector<SimulationResult> simulated;  // on the simulator
  std::vector<std::string> remarks;         // such as a library that is missing
};

// Returns the seconds of a cold launch, for a variant that came out right.
std::optional<double> cold_s(const VariantResult& variant);

// Returns the seconds of a launch on the simulator, for a variant that came out right.
std::optional<double> simulated_s(const VariantResult& variant);

// Returns the number of threads of the launch.
double threads_of(const VariantResult& variant);

// Returns the time on one core divided by the time on all.
std::optional<double> parallel_speedup(const SimulationResult& measured);

// Returns the library's time divided by the kernel's; none if one of the two was not measured.
std::optional<double> speedup_over_library(const SimulationResult& measured);

// Returns the variant's rate divided by the ceiling; none if the variant is wrong or was not measured.
std::optional<double> fraction_of_ceiling(const LimitResult& measured);

// Returns the yardstick's time divided by the variant's; none if one of the two was not measured.
std::optional<double> speedup_over_yardstick(const LimitResult& measured);

// Returns whether the variant reached its targets: a fraction of the ceiling, a speed-up over the yardstick.
bool meets_target(const LimitResult& measured);

// Returns ok if every variant came out right, else the highest exit code. A missed target is not a failure.
ExitCode exit_code_of(const LimitsResult& result);

// Options for measuring limits.
struct LimitsOptions {
  std::uint64_t seed = 42;
  double time_budget_s = 0.5;  // for each thing that is timed
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

// Measures, on a GPU, the cases of Lesson::limits, their yardsticks and the ceilings. Throws DeviceError.
LimitsResult measure_limits(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                            device::Device& device);

// Measures how fast kernels run on the simulator, on one core and on all. If the machine has OpenCL for its
// CPU, measures the same kernels in OpenCL, too. Throws DeviceError.
LimitsResult measure_simulation(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                                const std::function<std::unique_ptr<device::Device>()>& open_simulator);

// Formats `gpulab limits` for people: a row for each case, which targets are met, and the CPU's references.
std::string limits_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style);

// Returns one document, "gpulab.limits". Times are in seconds, rates in bytes or operations per second.
std::string limits_json(const LimitsResult& result, const RunFacts& facts);

// Ceilings of this machine's memory and arithmetic, for all its threads together.
struct HostCeilings {
  double read_bytes_per_s = 0;
  // Bytes read and written by the faster of two copies: with streaming stores, and with ordinary ones.
  double copy_bytes_per_s = 0;
  double operations_per_s = 0;  // float32 additions and multiplications, in fused multiply-adds
};

// Returns the bytes of each of two arrays, together four times as large as the last-level cache, and at least
// half a GiB, so that memory is measured and not a cache.
std::size_t default_ceiling_array_bytes();

// Measures the three ceilings. Each is the best rate within `seconds` of wall-clock time. Filling the arrays
// takes about as long again. Throws std::bad_alloc if there is no memory for the arrays.
HostCeilings measure_host_ceilings(double seconds, std::size_t array_bytes = default_ceiling_array_bytes());

// Returns the least time, in seconds, in which a machine with these ceilings could move the bytes and do the
// operations. Each written byte moves together with a read one, at the speed of a copy. The remaining reads
// move at the speed of reading, the remaining writes at that of a copy. Arithmetic overlaps with memory.
// Assumes that no data are in a cache beforehand.
double min_host_time_s(const Traffic& traffic, const HostCeilings& ceilings);

// Returns min_host_time_s() divided by the median of the reference: 1 is as fast as the machine's memory
// and arithmetic allow. The result is above 1 where data come from a cache.
double fraction_of_ceilings(const ReferenceResult& reference, const Traffic& traffic,
                            const HostCeilings& ceilings);

// Mix of reads and writes. Memory is slower where reads and writes alternate.
enum class AccessMix { read, two_reads_one_write, copy };

// Returns the mix that is nearest to a problem's traffic.
AccessMix mix_of(const Traffic& traffic);

// Ceilings of a device, measured by kernels and copies that do nothing else: cold, like lessons' variants, as
// the median of many launches. Each measurement is taken once.
class DeviceCeilings {
 public:
  DeviceCeilings(device::Device& device, device::Stream& stream, double time_budget_s);

  // Returns the ceiling for this traffic. Throws DeviceError if there is no memory for the measurement, or
  // the device lacks the instructions.
  Ceiling of(const Traffic& traffic, LimitedBy limit = LimitedBy::as_the_lesson_says);

 private:
  Ceiling measured_once(const std::string& what, double bytes, const std::function<double()>& measure_per_s);
  double moved_bytes_per_s(AccessMix mix, double bytes);
  double multiply_adds_per_s();
  // Runs the kernel of that file in kernels/. `products` is what a block multiplies in one round.
  double tensor_multiply_adds_per_s(const char* file, const char* kernel, double products);
  double copied_bytes_per_s(double bytes_each_way);
  double median_s(const std::function<void()>& work);

  device::Device& device_;
  device::Stream& stream_;
  double time_budget_s_;
  std::map<std::pair<std::string, double>, double> rates_per_s_;  // by Ceiling::what and the bytes moved
};

}  // namespace gpulab::bench
