#pragma once

#include "core/arrays.hpp"
#include "core/launch_context.hpp"
#include "core/lesson.hpp"

namespace gpulab::run {

// A problem with its inputs made and its reference computed, by the plain loop on one thread.
struct PreparedProblem {
  // Throws std::logic_error where the lesson and its problem do not fit together.
  PreparedProblem(const Lesson& lesson, Problem problem, const Settings& settings);

  LaunchContext launch_context(unsigned block_size) const {
    return {settings, problem.work_items(), block_size, &problem};
  }

  Problem problem;
  Settings settings;
  Inputs inputs;
  Outputs expected;
};

}  // namespace gpulab::run
