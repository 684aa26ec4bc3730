#include "core/exercise_progress.hpp"

#include <algorithm>

namespace gpulab {

const ExerciseStanding* next_of(const std::vector<ExerciseStanding>& standings) {
  const auto next = std::ranges::find_if(standings, [](const ExerciseStanding& standing) {
    return standing.progress.state != ExerciseState::passed;
  });
  return next == standings.end() ? nullptr : &*next;
}

}  // namespace gpulab
