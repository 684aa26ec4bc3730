#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "core/lesson.hpp"
#include "device/device.hpp"

namespace gpulab::run {

// How large a problem may be to be simulated in one of the slow ways.
struct ProblemLimit {
  std::size_t items = 0;  // work items
  double operations = std::numeric_limits<double>::infinity();

  bool allows(const Problem& problem) const;
};

// Counting accesses is slow, and what a warp does is the same everywhere.
constexpr ProblemLimit to_inspect{.items = std::size_t{1} << 18, .operations = 1e7};
constexpr ProblemLimit to_count{.items = std::size_t{1} << 18, .operations = 1e8};

// A mistake shows in far fewer elements than a lesson's default size has.
constexpr ProblemLimit to_show_a_mistake{.items = std::size_t{1} << 19};

// A problem and the settings that it was made with.
struct MadeProblem {
  Settings settings;
  Problem problem;
};

// The problem with the largest of --size and of the lesson's own counts halved until the limit allows it.
// None where nothing is left to halve. Throws UsageError for settings that make no sense.
std::optional<MadeProblem> smaller_problem(const Lesson& lesson, const Settings& asked, ProblemLimit limit);

// Refuses, in one sentence, a size for which this machine or this device has not the memory, before any of it
// is taken. The simulated device's memory is the host's.
void check_size(const Lesson& lesson, const Problem& problem, const Settings& settings,
                const DeviceProperties& device);

}  // namespace gpulab::run
