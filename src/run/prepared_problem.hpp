#pragma once

#include "core/arrays.hpp"
#include "core/lesson.hpp"

namespace gpulab::run {

// A problem with its inputs made and its reference computed, by the plain loop on one thread.
struct PreparedProblem {
  PreparedProblem(Problem problem, const Settings& settings);

  Extent work() const;

  Problem problem;
  Settings settings;
  Arrays inputs;
  Arrays expected;
};

// The work items of a problem: what it says, or --size of them in x.
Extent work_of(const Problem& problem, const Settings& settings);

}  // namespace gpulab::run
