#include "learn/hints.hpp"

namespace gpulab::learn {

TakenHint take_hint(const Exercise& exercise, ExerciseProgress& progress) {
  TakenHint hint{.exercise = exercise.lesson, .of_pattern = pattern_hint(progress.last_pattern)};
  if (!hint.of_pattern.empty()) hint.pattern = progress.last_pattern;
  const std::size_t taken = progress.hints_taken;
  if (taken < exercise.hints.size()) {
    hint.texts = {exercise.hints[taken]};
    hint.first = taken + 1;
    hint.left = exercise.hints.size() - hint.first;
    ++progress.hints_taken;
  } else {
    hint.texts = exercise.hints;
  }
  return hint;
}

}  // namespace gpulab::learn
