#include "cli/exercise_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/find_lesson.hpp"
#include "cli/terminal.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"
#include "exercise/hints.hpp"
#include "exercise/pattern_hints.hpp"
#include "exercise/progress_file.hpp"
#include "report/hint_text.hpp"

namespace gpulab {

namespace fs = std::filesystem;

namespace {

void attempt_to_remember(const std::function<void()>& change) {
  try {
    change();
  } catch (const UsageError& error) {
    tell(fmt::format("gpulab: {}; this is not remembered\n", error.what()));
  }
}

void remember_check(const ExerciseFile& exercise, const CheckResult& result) {
  const std::string& lesson = exercise.exercise.lesson;
  attempt_to_remember([&] {
    ProgressFile(exercise.folder()).change([&](Progress& progress) {
      progress.set(lesson, after_check(progress.of(lesson), result.pattern, result.verdict == Verdict::right,
                                       today()));
      progress.set_last_checked(lesson);
    });
  });
}

// The first that has not passed.
ExerciseFile next_exercise(const Progress& progress) {
  const auto all = standings(progress);
  if (const ExerciseStanding* next = next_of(all)) return find_exercise(next->exercise.lesson);
  throw UsageError("all exercises have passed; name the one that is meant, gpulab progress lists them");
}

bool is_an_exercise(const std::string& lesson) {
  const auto all = all_exercises();
  return std::ranges::find(all, lesson, &Exercise::lesson) != all.end();
}

ExerciseFile asked_or_checked(const std::string& word, bool also_when_right) {
  if (!word.empty()) return find_exercise(word);
  const Progress progress = ProgressFile(".").read();
  const std::string last = progress.last_checked();
  const bool is_meant = is_an_exercise(last) && (also_when_right || !progress.of(last).last_pattern.empty());
  return is_meant ? find_exercise(last) : next_exercise(progress);
}

}  // namespace

void remember(const ExerciseFile& exercise, const std::function<void(ExerciseProgress&)>& change) {
  attempt_to_remember([&] { ProgressFile(exercise.folder()).change(exercise.exercise.lesson, change); });
}

ExerciseFile asked_or_last_checked(const std::string& word) {
  return asked_or_checked(word, true);
}

ExerciseFile asked_or_in_hand(const std::string& word) {
  return asked_or_checked(word, false);
}

CheckResult check_file(const ExerciseFile& exercise, const CheckOptions& options) {
  CheckResult result = check_exercise(exercise.exercise, exercise.path, options);
  if (result.hint.empty()) result.hint = pattern_hint(result.pattern);
  if (exercise.has_own_name() && !options.trial.is_limited()) remember_check(exercise, result);
  return result;
}

std::string next_hint(const ExerciseFile& exercise) {
  TakenHint taken;
  bool is_taken = false;
  remember(exercise, [&](ExerciseProgress& progress) {
    taken = take_hint(exercise.exercise, progress);
    is_taken = true;
  });
  ExerciseProgress nothing_known;
  if (!is_taken) taken = take_hint(exercise.exercise, nothing_known);
  return hint_text(taken, style_of_stdout());
}

std::string what_to_do(const ExerciseFile& exercise) {
  const char* work = exercise.exercise.has_questions() ? "answer its questions" : "do what its comment says";
  return fmt::format("Open {0} in an editor, {1}, then type\n  gpulab check {0}\n", exercise.path.string(),
                     work);
}

std::string go_on(const fs::path& folder) {
  const auto all = standings(ProgressFile(folder).read());
  const ExerciseStanding* next = next_of(all);
  if (!next) return fmt::format("All {} exercises have passed.\n", all.size());
  const std::string& file = next->exercise.file;
  const ExerciseFile exercise{next->exercise, folder == "." ? fs::path(file) : folder / file};
  const bool is_new = write_starter(exercise);
  if (is_new) remember(exercise, [](ExerciseProgress& progress) { progress.state = ExerciseState::started; });
  return fmt::format("Next is {}: {}.\n", next->exercise.lesson, find_lesson(next->exercise.lesson).title) +
         (is_new ? "" : fmt::format("{} is there already.\n", exercise.path.string())) + what_to_do(exercise);
}

std::vector<ExerciseFile> all_exercises_here() {
  std::vector<ExerciseFile> files = exercises_in(".");
  if (files.empty())
    throw UsageError(
        fmt::format("there is no exercise in this folder; gpulab start {} writes the first, gpulab progress "
                    "lists all",
                    all_exercises().front().lesson));
  return files;
}

void require_file(const ExerciseFile& exercise) {
  std::error_code ignored;
  if (fs::exists(exercise.path, ignored)) return;
  throw UsageError(fmt::format("there is no {}; gpulab start {} writes the starter into this folder",
                               exercise.path.string(), exercise.exercise.lesson));
}

}  // namespace gpulab
