#include "run/smaller_problem.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "core/text.hpp"
#include "device/host.hpp"
#include "run/device_arrays.hpp"

namespace gpulab::run {
namespace {

// Whether there was anything to halve.
bool halve_the_largest(const Lesson& lesson, Settings& settings) {
  std::uint64_t* largest_count = nullptr;
  for (const Option& option : lesson.options) {
    const auto* range = std::get_if<Count>(&option.kind);
    if (!range) continue;
    auto& count = std::get<std::uint64_t>(settings.options.at(option.name));
    if (count / 2 >= range->min && (!largest_count || count > *largest_count)) largest_count = &count;
  }
  if (settings.size >= 2 && (!largest_count || settings.size > *largest_count)) {
    settings.size /= 2;
    return true;
  }
  if (!largest_count) return false;
  *largest_count /= 2;
  return true;
}

}  // namespace

bool ProblemLimit::allows(const Problem& problem) const {
  return problem.work_items().volume() <= items && problem.traffic.operations <= operations;
}

std::optional<MadeProblem> smaller_problem(const Lesson& lesson, const Settings& asked, ProblemLimit limit) {
  Settings settings = asked;
  settings.size = std::min(settings.size, limit.items);
  while (true) {
    Problem problem = lesson.problem(settings);
    if (limit.allows(problem)) return MadeProblem{settings, std::move(problem)};
    if (!halve_the_largest(lesson, settings)) return std::nullopt;
  }
}

namespace {

// Inputs once; outputs four times: expected, as they come back from the device, as a variant copied them, and
// those of the last variant that was right.
std::size_t host_bytes(const std::vector<SizedArray>& arrays) {
  std::size_t bytes = 0;
  for (const SizedArray& array : arrays)
    bytes += array.bytes() * (array.role == Role::output ? 4 : array.role == Role::input ? 1 : 0);
  return bytes;
}

std::string gibibytes(std::size_t bytes) {
  return with_decimals(static_cast<double>(bytes) / (1u << 30), 1) + " GiB";
}

std::string shortage(const Lesson& lesson, const Settings& settings, std::size_t needed,
                     const std::string& whose, std::size_t free) {
  const std::string what =
      lesson.has_size() ? "--size " + std::to_string(settings.size) + " of " + lesson.name : lesson.name;
  return what + " needs " + gibibytes(needed) + " of " + whose + " memory, and " + gibibytes(free) +
         " are free: choose a smaller size";
}

}  // namespace

void check_size(const Lesson& lesson, const Problem& problem, const Settings& settings,
                const DeviceProperties& device) {
  const bool simulated = device.simulated();
  const std::size_t on_device = DeviceArrays::bytes_with_guards(problem.arrays);
  const std::size_t on_host = host_bytes(problem.arrays) + (simulated ? on_device : 0);
  if (on_host > device::free_host_memory_bytes())
    throw UsageError(shortage(lesson, settings, on_host, "the host's", device::free_host_memory_bytes()));
  const std::size_t to_evict_caches = 2 * device.l2_bytes;
  if (!simulated && on_device + to_evict_caches > device.free_memory_bytes)
    throw Error(ExitCode::device,
                "CUDA_ERROR_OUT_OF_MEMORY: " +
                    shortage(lesson, settings, on_device, "the device's", device.free_memory_bytes));
}

}  // namespace gpulab::run
