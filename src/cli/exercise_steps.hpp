#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "check/checks.hpp"
#include "check/files.hpp"
#include "lesson/exercise.hpp"
#include "lesson/result.hpp"

// Steps of a learner, each taken by a command or by a key of watch.

namespace gpulab::cli {

// Changes the saved progress of the exercise. If it cannot be written, prints a line on stderr and returns.
void save_progress(const check::ExerciseFile& exercise, const std::function<void(ExerciseProgress&)>& edit);

// Marks an exercise as started, unless it is started or has passed.
void mark_started(ExerciseProgress& progress);

// Adds the hint for the result of that text: for a mistake of an instructor's own exercise, its reason.
CheckResult with_hint(const Exercise& exercise, const std::string& text, CheckResult result);

// Checks the file and saves the verdict, unless only certain settings were tried. Throws as a check does.
CheckResult check_file(const check::ExerciseFile& exercise, const check::CheckOptions& options);

// Returns the exercise that a word names; without a word, the one that was last checked in this folder, or
// else the next one. Throws UsageError.
check::ExerciseFile asked_or_last_checked(const std::string& word);

// Returns the exercise of a file: its name says it or, failing that, the kernel or the questions in it.
// Throws UsageError if neither does.
check::ExerciseFile exercise_of_file(const std::string& word);

// Returns the next hint of the exercise, as text for stdout.
std::string next_hint(const check::ExerciseFile& exercise);

// Returns the next hint of the last checked exercise or, once it has passed, of the next. Throws UsageError.
std::string hint_of_current_exercise();

// Exercise that is begun, and what the learner has to do.
struct BegunExercise {
  std::string text;
  std::optional<check::ExerciseFile> file;  // none if all have passed
};

// Writes the starter of the first exercise that has not passed or, if `goes_back`, of the exercise before
// that one. Leaves a file that exists as it is. Throws UsageError if there is no exercise before.
BegunExercise start_next_exercise(const std::filesystem::path& folder, bool goes_back = false);

// Returns what to do with a file that has just been written.
std::string what_to_do(const check::ExerciseFile& exercise);

// Returns the exercise files of a folder. If there are none, throws UsageError with the command that writes
// one.
std::vector<check::ExerciseFile> exercises_in_folder(const std::filesystem::path& folder = ".");

// Returns the exercises of a folder or a lesson that have a file there, or the first exercise if none has.
std::vector<check::ExerciseFile> exercises_that_are_here(const std::string& word);

// Throws UsageError, with the command that writes the file, if there is no file.
void require_file(const check::ExerciseFile& exercise);

// The course's solution of an exercise: as a rule one kernel, or the answers to its questions, or a program.
struct CourseSolution {
  std::string title;                 // "the course's kernels/histogram.cu", "the course's answers"
  std::vector<std::string> kernels;  // "histogram_shared"; none for answers and programs
  std::string text;                  // these kernels with the comments above them, or all answers
};

// Returns the solution of an exercise: only the part that a learner has to write.
CourseSolution course_solution(const Exercise& exercise);

// Returns the named kernels that a file defines, with the functions and variables that they use.
std::string kernels_of(const std::string& file_text, const std::vector<std::string>& names);

// Returns the style of a source on stdout: its lines stay whole in a pipe, to be compiled.
TextStyle style_of_source();

// Returns whether a learner may see the course's solution: after the exercise has passed, with `anyway`, or
// after a yes to a question on the terminal. Throws UsageError if there is no terminal to ask on.
bool may_see_course_solution(const check::ExerciseFile& exercise, const std::string& command, bool anyway);

}  // namespace gpulab::cli
