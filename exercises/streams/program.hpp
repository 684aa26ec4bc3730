#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::streams {

// Returns what the program of the exercise prints, and what has to overlap.
ProgramTask program();

}  // namespace gpulab::lessons::streams
