#pragma once

#include <string>

#include "core/exercise.hpp"
#include "core/exercise_progress.hpp"
#include "core/taken_hint.hpp"

namespace gpulab::learn {

// The next hint of the exercise, which counts as taken from then on, after what fits the last check.
TakenHint take_hint(const Exercise& exercise, ExerciseProgress& progress);

// What to look for in a kernel, or an answer, whose check showed that pattern, in a sentence or two; empty
// for a pattern that is not known. It holds for any exercise, and says where to look rather than what to
// write.
std::string pattern_hint(const std::string& pattern);

// What to think of after an answer to a question that showed that pattern; empty for a pattern that is not
// known.
std::string answer_hint(const std::string& pattern);

}  // namespace gpulab::learn
