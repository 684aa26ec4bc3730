#pragma once

#include <string>
#include <vector>

#include "core/exercise_progress.hpp"

namespace gpulab {

// Every exercise with its progress, as one document with "schema": "gpulab.progress".
std::string progress_json(const std::vector<ExerciseStanding>& standings);

}  // namespace gpulab
