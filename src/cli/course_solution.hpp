#pragma once

#include <string>
#include <vector>

#include "exercise/exercise_files.hpp"

namespace gpulab {

// What the course arrives at in an exercise: as a rule one kernel, or the answers to its questions.
struct CourseSolution {
  std::string title;                 // "the course's kernels/histogram.cu", "the course's answers"
  std::vector<std::string> kernels;  // "histogram_shared"; none for answers
  std::string text;                  // of these kernels, with the comments above them, or all of the answers
};

// What a learner has to write.
CourseSolution course_solution(const Exercise& exercise);

// The same as a file that could be handed in, with what the kernels use.
std::string course_file_of(const Exercise& exercise);

// The named kernels of a file, each with the comment above it; of those that it does not define, nothing.
std::string kernels_of(const std::string& file_text, const std::vector<std::string>& names);

// Whether a learner may see it: after the exercise has passed, when that does not matter, or when the answer
// to a question on the terminal is yes. Throws UsageError where nobody can be asked.
bool may_see_course_solution(const ExerciseFile& exercise, const std::string& command, bool anyway);

}  // namespace gpulab
