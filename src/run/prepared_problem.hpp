#pragma once

#include "core/arrays.hpp"
#include "core/lesson.hpp"

namespace gpulab {

// A problem with its inputs made and its reference computed, by the plain loop on one thread.
struct PreparedProblem {
  PreparedProblem(Problem problem, const Settings& settings);

  Problem problem;
  Settings settings;
  Arrays inputs;
  Arrays expected;
};

}  // namespace gpulab
