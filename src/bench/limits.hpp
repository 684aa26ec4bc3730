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

// What the device was measured to do at most, with the same bytes or operations, and nothing besides.
struct Ceiling {
  static constexpr const char* multiply_add = "multiply-add";
  static constexpr const char* split_multiply_add = "3xTF32 multiply-add";

  std::string what;  // one of these or, of memory, "read", "copy", "two reads, one write"
  double per_s = 0;  // bytes or floating-point operations

  bool is_of_arithmetic() const { return what == multiply_add || what == split_multiply_add; }
};

struct LimitResult {
  std::string lesson;
  LimitCase asked;
  std::string problem;
  Traffic traffic;  // what the ceiling counts
  VariantResult rung;
  std::optional<VariantResult> yardstick;  // none where its library is missing
  Ceiling ceiling;
  std::optional<ReferenceResult> reference;     // OpenMP
  std::optional<ReferenceResult> host_library;  // on the same threads; none where it is missing
  std::optional<double>
      reference_of_ceiling;  // of what the CPU was measured to allow; can be above 1 in caches
};

// A kernel on the simulated device, by the clock on the wall.
struct SimulationResult {
  std::string lesson;
  LimitCase asked;
  std::string problem;
  VariantResult on_one_core, on_all_cores;
  std::optional<ReferenceResult> host_library;  // the same kernel in OpenCL; none where that is missing
};

struct LimitsResult {
  DeviceProperties device;
  std::uint64_t seed = 0;
  std::vector<LimitResult> cases;           // of a GPU
  std::vector<SimulationResult> simulated;  // of the simulator
  std::vector<std::string> remarks;         // what is missing, such as a library
};

// Seconds that a launch took cold, of a variant that came out right.
std::optional<double> cold_s(const VariantResult& variant);

// Of the ceiling's measure: bytes or operations per second.
std::optional<double> rate_of(const Traffic& traffic, std::optional<double> seconds);

// Seconds that a launch took on the simulator, of a variant that came out right.
std::optional<double> simulated_s(const VariantResult& variant);

// Threads of the launch.
double threads_of(const VariantResult& variant);

// How many times as fast all cores are as one.
std::optional<double> gain_of_all_cores(const SimulationResult& measured);

// How many times as fast as the library the kernel was; none where one of the two was not measured.
std::optional<double> times_library(const SimulationResult& measured);

// Which part of the ceiling the rung reached, as a fraction; none where it came out wrong.
std::optional<double> part_of_ceiling(const LimitResult& measured);

// How many times as fast as the yardstick the rung was; none where one of the two was not measured.
std::optional<double> times_yardstick(const LimitResult& measured);

// Whether the rung reached what it was asked for: a part of the ceiling, or the speed of a yardstick that is
// there.
bool meets_target(const LimitResult& measured);

// 0 when every variant came out right; otherwise the most severe of what happened. A target that is missed is
// not a failure of the program.
ExitCode exit_code_of(const LimitsResult& result);

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

// Measures how fast kernels run on the simulator, on one core and on all, beside the same kernels in OpenCL
// where the machine has it for its CPU. Throws DeviceError.
LimitsResult measure_simulation(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                                const std::function<std::unique_ptr<device::Device>()>& open_simulator);

// The table of `gpulab limits` for people: a heading, a row for each case, what of the targets is met, and
// the CPU's references.
std::string limits_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style);

// One document, "gpulab.limits". Times are in seconds, rates in bytes or operations per second.
std::string limits_json(const LimitsResult& result, const RunFacts& facts);

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
