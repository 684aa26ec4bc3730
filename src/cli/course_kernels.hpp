#pragma once

#include <string>
#include <vector>

#include "exercise/exercise_files.hpp"

namespace gpulab {

// What the course arrives at in an exercise: as a rule one kernel.
struct CourseKernels {
  std::string file;                // "histogram.cu"
  std::vector<std::string> names;  // "histogram_shared"
  std::string source;              // with the comments above them
};

// Those that a learner has to write.
CourseKernels course_kernels(const Exercise& exercise);

// The same with what else they use, so that it could be handed in.
std::string solution_of(const Exercise& exercise);

// The named kernels of a file, each with the comment above it; of those that it does not define, nothing.
std::string kernels_of(const std::string& file_text, const std::vector<std::string>& names);

// Whether a learner may see it: after the exercise has passed, when that does not matter, or when the answer
// to a question on the terminal is yes. Throws UsageError where nobody can be asked.
bool may_see_course_kernels(const ExerciseFile& exercise, const std::string& command, bool anyway);

}  // namespace gpulab
