#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpulab {

// What somebody is told who asks for help with an exercise.
struct TakenHint {
  std::string exercise;            // "shared-histogram"
  std::string pattern;             // that the last check showed; empty when there is nothing to say about it
  std::string of_pattern;          // what to look for then
  std::vector<std::string> texts;  // the exercise's next hint or, after the last, all of them
  std::size_t first = 1;           // the number of the first of these texts
  std::size_t left = 0;            // hints that are still to come
};

}  // namespace gpulab
