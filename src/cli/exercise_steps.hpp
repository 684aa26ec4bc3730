#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "check/checks.hpp"
#include "check/files.hpp"
#include "lesson/exercise.hpp"
#include "lesson/result.hpp"

// What a learner does, by a command or by a key of watch.

namespace gpulab::cli {

// Changes what is remembered of the exercise. Where that cannot be written it tells so, and the work goes on.
void remember(const check::ExerciseFile& exercise, const std::function<void(ExerciseProgress&)>& change);

// Checks the file, and remembers what came out, unless it was tried with certain settings alone. Throws what
// check_exercise throws.
CheckResult check_file(const check::ExerciseFile& exercise, const check::CheckOptions& options);

// The exercise that a word stands for or, where there is none, the one that was checked last in this folder
// or, where nothing was, the next one. Throws UsageError.
check::ExerciseFile asked_or_last_checked(const std::string& word);

// The same, but goes on to the next one when the last check was right.
check::ExerciseFile asked_or_in_hand(const std::string& word);

// The next hint of the exercise, as text for stdout.
std::string next_hint(const check::ExerciseFile& exercise);

// Writes the starter of the first exercise that has not passed, where it is not there yet, and says which
// that is.
std::string go_on(const std::filesystem::path& folder);

// What to do with a file that is ready to be worked on.
std::string what_to_do(const check::ExerciseFile& exercise);

// Every exercise file of this folder. Throws UsageError, with the command that writes one, when there is
// none.
std::vector<check::ExerciseFile> all_exercises_here();

// Of the exercises that a word stands for those that have a file, or the first when none has.
std::vector<check::ExerciseFile> exercises_that_are_here(const std::string& word);

// Throws UsageError, with the command that writes it, when the file is not there.
void require_file(const check::ExerciseFile& exercise);

// What the course arrives at in an exercise: as a rule one kernel, or the answers to its questions, or a
// program.
struct CourseSolution {
  std::string title;                 // "the course's kernels/histogram.cu", "the course's answers"
  std::vector<std::string> kernels;  // "histogram_shared"; none for answers and programs
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
bool may_see_course_solution(const check::ExerciseFile& exercise, const std::string& command, bool anyway);

}  // namespace gpulab::cli
