#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/check_result.hpp"
#include "core/exercise_progress.hpp"
#include "exercise/check_exercise.hpp"
#include "exercise/exercise_files.hpp"

// What a learner does, by a command or by a key of watch.

namespace gpulab {

// Changes what is remembered of the exercise. Where that cannot be written it tells so, and the work goes on.
void remember(const ExerciseFile& exercise, const std::function<void(ExerciseProgress&)>& change);

// Checks the file, and remembers what came out, unless it was tried with certain settings alone. Throws what
// check_exercise throws.
CheckResult check_file(const ExerciseFile& exercise, const CheckOptions& options);

// The exercise that a word stands for or, where there is none, the one that was checked last in this folder
// or, where nothing was, the next one. Throws UsageError.
ExerciseFile asked_or_last_checked(const std::string& word);

// The same, but goes on to the next one when the last check was right.
ExerciseFile asked_or_in_hand(const std::string& word);

// The next hint of the exercise, as text for stdout.
std::string next_hint(const ExerciseFile& exercise);

// Writes the starter of the first exercise that has not passed, where it is not there yet, and says which
// that is.
std::string go_on(const std::filesystem::path& folder);

// What to do with a file that is ready to be worked on.
std::string what_to_do(const ExerciseFile& exercise);

// Every exercise file of this folder. Throws UsageError, with the command that writes one, when there is
// none.
std::vector<ExerciseFile> all_exercises_here();

// Throws UsageError, with the command that writes it, when the file is not there.
void require_file(const ExerciseFile& exercise);

}  // namespace gpulab
