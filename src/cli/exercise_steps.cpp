#include "cli/exercise_steps.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "check/answers.hpp"
#include "check/check_formats.hpp"
#include "check/explanations.hpp"
#include "check/progress.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "source/source_parts.hpp"
#include "teach/submissions.hpp"

namespace gpulab::cli {

namespace fs = std::filesystem;

namespace {

void attempt_to_remember(const std::function<void()>& change) {
  try {
    change();
  } catch (const Error& error) {
    tell(fmt::format("gpulab: {}; your progress is not saved\n", error.what()));
  }
}

void remember_check(const check::ExerciseFile& exercise, const std::string& text, const CheckResult& result) {
  const std::string& lesson = exercise.exercise.name;
  check::Progress known;
  attempt_to_remember([&] {
    check::ProgressFile(exercise.folder()).change([&](check::Progress& progress) {
      const bool is_right = result.verdict == Verdict::right;
      ExerciseProgress now =
          check::after_check(progress.of(lesson), result.pattern, is_right, check::today());
      now.hash_of_passed = is_right ? std::to_string(check::seed_of(text)) : "";
      progress.set(lesson, now);
      progress.set_last_checked(lesson);
      known = progress;
    });
  });
  try {
    teach::share(known);
  } catch (const Error& error) {
    tell(fmt::format("gpulab: {}; the class does not see this check\n", error.what()));
  }
}

// Returns when the file was saved last, and the earliest time if it does not exist.
fs::file_time_type saved_at(const check::ExerciseFile& file) {
  std::error_code ignored;
  return fs::last_write_time(file.path, ignored);
}

// Returns the unfinished exercise whose file in this folder was saved last. If no unfinished exercise has a
// file here, returns the first exercise that has not passed.
check::ExerciseFile next_exercise(const check::Progress& progress) {
  std::vector<check::ExerciseFile> begun = check::exercises_in(".");
  std::erase_if(begun, [&](const check::ExerciseFile& file) {
    return progress.of(file.exercise.name).state == ExerciseState::passed;
  });
  if (!begun.empty()) return *std::ranges::max_element(begun, {}, saved_at);
  const auto all = check::standings(progress);
  if (const ExerciseStanding* next = first_not_passed(all)) return check::find_exercise(next->exercise.name);
  throw UsageError("all exercises have passed; say which one you mean (gpulab progress lists them)");
}

bool is_an_exercise(const std::string& lesson) {
  return contains(all_exercises(), lesson, &Exercise::name);
}

// Returns the exercise that the word names. Without a word, returns the last checked one, but if that has
// passed and `also_passed` is false, the next one.
check::ExerciseFile asked_or_checked(const std::string& word, bool also_passed) {
  if (!word.empty()) return check::find_exercise(word);
  const check::Progress progress = check::ProgressFile(".").read();
  const std::string last = progress.last_checked();
  const bool means_last = is_an_exercise(last) && (also_passed || !progress.of(last).last_pattern.empty());
  return means_last ? check::find_exercise(last) : next_exercise(progress);
}

}  // namespace

void mark_started(ExerciseProgress& progress) {
  if (progress.state == ExerciseState::not_started) progress.state = ExerciseState::started;
}

void save_progress(const check::ExerciseFile& exercise, const std::function<void(ExerciseProgress&)>& edit) {
  attempt_to_remember([&] { check::ProgressFile(exercise.folder()).change(exercise.exercise.name, edit); });
}

check::ExerciseFile exercise_of_file(const std::string& word) try {
  return check::find_exercise(word);
} catch (const UsageError&) {
  if (!is_file(word)) throw;
  const std::vector<teach::KnownExercise> known = teach::known_exercises();
  const std::vector<std::string> recognised =
      teach::exercises_recognised_in(run::read_text_file(word, run::kernel_file), known);
  if (recognised.size() != 1) throw;
  const auto found = std::ranges::find(known, recognised.front(), [](const teach::KnownExercise& candidate) {
    return candidate.exercise.name;
  });
  return {found->exercise, word};
}

check::ExerciseFile asked_or_last_checked(const std::string& word) {
  return asked_or_checked(word, /*also_passed=*/true);
}

CheckResult with_hint(const Exercise& exercise, const std::string& text, CheckResult result) {
  const auto own = folder_of_own_exercise(lesson_of(exercise));
  const std::string reason =
      own && result.verdict != Verdict::right ? check::reason_in(*own, text) : std::string();
  if (!reason.empty()) result.hint = reason;
  if (result.hint.empty()) result.hint = check::hint_for(result);
  return result;
}

CheckResult check_file(const check::ExerciseFile& exercise, const check::CheckOptions& options) {
  const device::KernelSource source = check::learner_file(exercise.exercise, exercise.path);
  CheckResult result =
      with_hint(exercise.exercise, source.text, check::check_exercise(exercise.exercise, source, options));
  if (exercise.has_own_name() && !options.trial.is_limited()) remember_check(exercise, source.text, result);
  if (!exercise.has_own_name() && result.verdict == Verdict::right)
    result.notes.push_back(fmt::format("the file is not called {}, so the exercise does not count as passed",
                                       exercise.exercise.file));
  return result;
}

std::string next_hint(const check::ExerciseFile& exercise) {
  TakenHint taken;
  bool is_taken = false, has_passed = false;
  save_progress(exercise, [&](ExerciseProgress& progress) {
    has_passed = progress.state == ExerciseState::passed;
    taken = check::take_hint(exercise.exercise, progress);
    is_taken = true;
  });
  // Gives the first hint if the progress cannot be read.
  ExerciseProgress not_saved;
  if (!is_taken) taken = check::take_hint(exercise.exercise, not_saved);
  return check::hint_text(taken, style_of_stdout(), has_passed);
}

std::string hint_of_current_exercise() {
  const check::ExerciseFile exercise = asked_or_checked("", /*also_passed=*/false);
  const check::Progress progress = check::ProgressFile(".").read();
  const std::string last = progress.last_checked(), name = exercise.exercise.name;
  const bool has_gone_on =
      last != name && is_an_exercise(last) && progress.of(last).state == ExerciseState::passed;
  // A hint counts, so nobody gets one for a file that was not saved since then.
  if (has_gone_on && saved_at(exercise) <= saved_at(check::find_exercise(last)))
    return fmt::format("{0} has passed. gpulab next begins {1}, and gpulab hint {1} gives a hint for it.\n",
                       last, name);
  return (has_gone_on ? fmt::format("{} has passed. This is a hint for {}:\n\n", last, name) : "") +
         next_hint(exercise);
}

std::string what_to_do(const check::ExerciseFile& exercise) {
  const char* work = exercise.exercise.has_questions() ? "answer its questions" : "do what its comment says";
  const Lesson lesson = lesson_of(exercise.exercise);
  const std::string task =
      lesson.kernels_text.empty() || lesson.text.empty() ? "" : "\n" + lesson.text + "\n";
  return task + fmt::format("Open {0} in an editor, {1}, then type\n  gpulab check {0}\n",
                            exercise.path.string(), work);
}

BegunExercise start_next_exercise(const fs::path& folder, bool goes_back) {
  const auto all = check::standings(check::ProgressFile(folder).read());
  const ExerciseStanding* next = first_not_passed(all);
  if (goes_back) {
    if (next == all.data())
      throw UsageError(next->exercise.name + " is the first exercise; gpulab progress lists all");
    next = (next ? next : all.data() + all.size()) - 1;  // if all have passed, the last one
  }
  if (!next)
    return {all.size() == 1 ? "The exercise has passed.\n"
                            : fmt::format("All {} exercises have passed.\n", all.size())};
  const std::string& file = next->exercise.file;
  const check::ExerciseFile exercise{next->exercise, folder == "." ? fs::path(file) : folder / file};
  const bool is_new = check::write_starter(exercise);
  if (is_new) save_progress(exercise, mark_started);
  return {paragraph(fmt::format("{} is {}: {}.", goes_back ? "The one before" : "Next", next->exercise.name,
                                find_lesson(next->exercise.lesson).title),
                    Ink::plain, style_of_stdout()) +
              (is_new ? "" : fmt::format("{} already exists.\n", exercise.path.string())) +
              what_to_do(exercise),
          exercise};
}

std::vector<check::ExerciseFile> exercises_in_folder(const fs::path& folder) {
  std::vector<check::ExerciseFile> files = check::exercises_in(folder);
  if (files.empty())
    throw UsageError(
        fmt::format("there is no exercise in {}; gpulab next writes the first one, gpulab progress lists all",
                    folder == "." ? "this folder" : "the folder " + folder.string()));
  return files;
}

std::vector<check::ExerciseFile> exercises_that_are_here(const std::string& word) {
  if (names_a_folder(word)) return exercises_in_folder(word);
  std::vector<check::ExerciseFile> files = check::find_exercises(word);
  const check::ExerciseFile first = files.front();
  std::erase_if(files, [](const check::ExerciseFile& file) { return !is_there(file.path); });
  return files.empty() ? std::vector{first} : files;
}

void require_file(const check::ExerciseFile& exercise) {
  if (exercise.path.extension() == ".diff")
    throw UsageError(
        exercise.path.string() +
        " is an edit, and a kernel belongs here; gpulab exercise check tries edits in mistakes/");
  if (is_there(exercise.path)) return;
  throw UsageError(fmt::format("there is no {}; gpulab start {} writes the starter into this folder",
                               exercise.path.string(), exercise.exercise.name));
}

CourseSolution course_solution(const Exercise& exercise) {
  if (exercise.has_questions())
    return {.title = "the course's answers", .text = check::answered_sheet(exercise)};
  if (exercise.is_program()) return {.title = "the course's " + exercise.file, .text = exercise.solution};
  const device::KernelSource file = check::solution_file(exercise);
  const std::vector<std::string> names = source::kernel_names(exercise.starter);
  const bool is_own = !lesson_of(exercise).kernels_text.empty();
  return {.title = is_own ? "the exercise's solution.cu" : "the course's kernels/" + file.name,
          .kernels = names,
          .text = kernels_of(file.text, names)};
}

std::string kernels_of(const std::string& file_text, const std::vector<std::string>& names) {
  const bool has_any = std::ranges::any_of(
      names, [&](const std::string& name) { return !source::function_source(file_text, name).empty(); });
  return has_any ? source::source_with_used_parts(file_text, names) : "";
}

TextStyle style_of_source() {
  TextStyle style = style_of_stdout();
  if (!stdout_is_terminal()) style.width = std::numeric_limits<unsigned>::max();
  return style;
}

bool may_see_course_solution(const check::ExerciseFile& exercise, const std::string& command, bool anyway) {
  const std::string& lesson = exercise.exercise.name;
  static constexpr Named<ExerciseKind> names[] = {{ExerciseKind::kernel, "kernel"},
                                                  {ExerciseKind::answers, "answers"},
                                                  {ExerciseKind::program, "program"}};
  static_assert(names_every(names, ExerciseKind::program));
  const std::string_view kind = name_in(names, exercise.exercise.kind);
  const auto record_and_allow = [&] {
    save_progress(exercise, [](ExerciseProgress& progress) {
      progress.read_solution = progress.read_solution || progress.state != ExerciseState::passed;
    });
    return true;
  };
  if (anyway) return record_and_allow();
  if (check::ProgressFile(exercise.folder()).read().of(lesson).state == ExerciseState::passed) return true;
  if (!can_ask())
    throw UsageError(fmt::format(
        "{0} has not passed yet; gpulab hint {0} gives a hint, gpulab {1} {0} --anyway shows the course's {2}",
        lesson, command, kind));
  if (ask_yes_no(fmt::format("{} has not passed yet. Show the course's {}?", lesson, kind)))
    return record_and_allow();
  tell(fmt::format("gpulab hint {} gives a hint instead\n", lesson));
  return false;
}

}  // namespace gpulab::cli
