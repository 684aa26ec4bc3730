#pragma once

#include <string>
#include <vector>

#include "core/exercise.hpp"

namespace gpulab {

enum class ExerciseState { not_started, started, passed };

// How far a learner is with one exercise.
struct ExerciseProgress {
  ExerciseState state = ExerciseState::not_started;
  unsigned hints_taken = 0;
  unsigned checks = 0;
  std::string last_pattern;  // of the last check; empty when that was right
  std::string passed_on;     // the day of the first check that was right: "2026-11-21"

  friend bool operator==(const ExerciseProgress&, const ExerciseProgress&) = default;
};

struct ExerciseStanding {
  Exercise exercise;
  ExerciseProgress progress;
};

// The first that has not passed; null when all have.
const ExerciseStanding* next_of(const std::vector<ExerciseStanding>& standings);

}  // namespace gpulab
