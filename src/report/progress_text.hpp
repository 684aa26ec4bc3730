#pragma once

#include <string>
#include <vector>

#include "core/exercise_progress.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// One row for each exercise, and below how many have passed and which is next.
std::string progress_text(const std::vector<ExerciseStanding>& standings, const TextStyle& style);

}  // namespace gpulab
