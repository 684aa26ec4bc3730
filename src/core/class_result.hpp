#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/exercise.hpp"

namespace gpulab {

// Where a learner is who shares that. Times are in seconds since 1970.
struct LearnersPlace {
  std::string learner;
  std::string exercise;       // checked last; empty before the first check
  ExerciseProgress progress;  // with that one
  std::int64_t since = 0;     // the first of the checks of it, one after another
  std::int64_t checked = 0;   // the last check
  std::size_t passed = 0;     // exercises

  bool is_stuck() const { return !progress.last_pattern.empty(); }
};

struct ClassResult {
  std::string folder;
  std::int64_t now = 0;
  std::size_t exercises = 0;            // of the course
  std::vector<LearnersPlace> learners;  // who has been at something unsolved for longest first
  std::size_t not_read = 0;             // beyond the most that are read, or unreadable
};

}  // namespace gpulab
