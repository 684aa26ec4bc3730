#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::streams {

// What the program of the exercise prints, and what has to overlap.
ProgramTask program();

}  // namespace gpulab::lessons::streams
