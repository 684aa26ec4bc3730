#pragma once

#include <optional>

#include "core/check_result.hpp"
#include "core/lesson.hpp"
#include "device/device.hpp"

namespace gpulab {

// What somebody wants a kernel to be tried with.
struct Trial {
  std::optional<Settings> settings = {};    // all that it is checked with, when absent
  std::optional<unsigned> block_size = {};  // the solution's, when absent

  // Then a kernel may pass that would fail otherwise.
  bool is_limited() const { return settings || block_size; }
};

// Runs a learner's kernel in place of the lesson's solution, watched, and in three orders of its threads,
// until it does something wrong. Fills in everything that depends on a run. Throws UsageError for a trial
// that the lesson cannot take.
void check_on_simulator(const Lesson& lesson, const KernelSource& source, Device& simulator,
                        const Trial& trial, CheckResult& result);

}  // namespace gpulab
