#pragma once

#include <string>

#include "core/exercise.hpp"

namespace gpulab {

// The questions of the exercise with the course's answers, and what leads to them, in their places.
std::string answered_sheet(const Exercise& exercise);

}  // namespace gpulab
