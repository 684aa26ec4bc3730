#pragma once

#include "core/exercise.hpp"
#include "core/exercise_progress.hpp"
#include "core/taken_hint.hpp"

namespace gpulab {

// The next hint of the exercise, which counts as taken from then on, after what fits the last check.
TakenHint take_hint(const Exercise& exercise, ExerciseProgress& progress);

}  // namespace gpulab
