#include "cli/exercise_steps.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"
#include "learn/answers.hpp"
#include "learn/hints.hpp"
#include "learn/progress.hpp"
#include "learn/sharing.hpp"
#include "report/check_formats.hpp"
#include "report/source.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {

namespace fs = std::filesystem;

namespace {

void attempt_to_remember(const std::function<void()>& change) {
  try {
    change();
  } catch (const UsageError& error) {
    tell(fmt::format("gpulab: {}; your progress is not saved\n", error.what()));
  }
}

void remember_check(const learn::ExerciseFile& exercise, const CheckResult& result) {
  const std::string& lesson = exercise.exercise.name;
  learn::Progress known;
  attempt_to_remember([&] {
    learn::ProgressFile(exercise.folder()).change([&](learn::Progress& progress) {
      progress.set(lesson, learn::after_check(progress.of(lesson), result.pattern,
                                              result.verdict == Verdict::right, learn::today()));
      progress.set_last_checked(lesson);
      known = progress;
    });
  });
  try {
    learn::share(known);
  } catch (const UsageError& error) {
    tell(fmt::format("gpulab: {}; the class does not see this check\n", error.what()));
  }
}

// The first that has not passed.
learn::ExerciseFile next_exercise(const learn::Progress& progress) {
  const auto all = learn::standings(progress);
  if (const ExerciseStanding* next = next_of(all)) return learn::find_exercise(next->exercise.name);
  throw UsageError("all exercises have passed; say which one you mean (gpulab progress lists them)");
}

bool is_an_exercise(const std::string& lesson) {
  const auto all = all_exercises();
  return std::ranges::find(all, lesson, &Exercise::name) != all.end();
}

learn::ExerciseFile asked_or_checked(const std::string& word, bool also_when_right) {
  if (!word.empty()) return learn::find_exercise(word);
  const learn::Progress progress = learn::ProgressFile(".").read();
  const std::string last = progress.last_checked();
  const bool is_meant = is_an_exercise(last) && (also_when_right || !progress.of(last).last_pattern.empty());
  return is_meant ? learn::find_exercise(last) : next_exercise(progress);
}

}  // namespace

void remember(const learn::ExerciseFile& exercise, const std::function<void(ExerciseProgress&)>& change) {
  attempt_to_remember([&] { learn::ProgressFile(exercise.folder()).change(exercise.exercise.name, change); });
}

learn::ExerciseFile asked_or_last_checked(const std::string& word) {
  return asked_or_checked(word, true);
}

learn::ExerciseFile asked_or_in_hand(const std::string& word) {
  return asked_or_checked(word, false);
}

CheckResult check_file(const learn::ExerciseFile& exercise, const learn::CheckOptions& options) {
  CheckResult result = learn::check_exercise(exercise.exercise, exercise.path, options);
  if (result.hint.empty()) result.hint = learn::pattern_hint(result.pattern);
  if (exercise.has_own_name() && !options.trial.is_limited()) remember_check(exercise, result);
  return result;
}

std::string next_hint(const learn::ExerciseFile& exercise) {
  TakenHint taken;
  bool is_taken = false;
  remember(exercise, [&](ExerciseProgress& progress) {
    taken = learn::take_hint(exercise.exercise, progress);
    is_taken = true;
  });
  ExerciseProgress nothing_known;
  if (!is_taken) taken = learn::take_hint(exercise.exercise, nothing_known);
  return report::hint_text(taken, style_of_stdout());
}

std::string what_to_do(const learn::ExerciseFile& exercise) {
  const char* work = exercise.exercise.has_questions() ? "answer its questions" : "do what its comment says";
  return fmt::format("Open {0} in an editor, {1}, then type\n  gpulab check {0}\n", exercise.path.string(),
                     work);
}

std::string go_on(const fs::path& folder) {
  const auto all = learn::standings(learn::ProgressFile(folder).read());
  const ExerciseStanding* next = next_of(all);
  if (!next) return fmt::format("All {} exercises have passed.\n", all.size());
  const std::string& file = next->exercise.file;
  const learn::ExerciseFile exercise{next->exercise, folder == "." ? fs::path(file) : folder / file};
  const bool is_new = learn::write_starter(exercise);
  if (is_new) remember(exercise, [](ExerciseProgress& progress) { progress.state = ExerciseState::started; });
  return fmt::format("Next is {}: {}.\n", next->exercise.name, find_lesson(next->exercise.lesson).title) +
         (is_new ? "" : fmt::format("{} already exists.\n", exercise.path.string())) + what_to_do(exercise);
}

std::vector<learn::ExerciseFile> all_exercises_here() {
  std::vector<learn::ExerciseFile> files = learn::exercises_in(".");
  if (files.empty())
    throw UsageError(
        "there is no exercise in this folder; gpulab next writes the first one, gpulab progress lists all");
  return files;
}

std::vector<learn::ExerciseFile> exercises_that_are_here(const std::string& word) {
  std::vector<learn::ExerciseFile> files = learn::find_exercises(word);
  const learn::ExerciseFile first = files.front();
  std::erase_if(files, [](const learn::ExerciseFile& file) {
    std::error_code ignored;
    return !fs::exists(file.path, ignored);
  });
  return files.empty() ? std::vector{first} : files;
}

void require_file(const learn::ExerciseFile& exercise) {
  std::error_code ignored;
  if (fs::exists(exercise.path, ignored)) return;
  throw UsageError(fmt::format("there is no {}; gpulab start {} writes the starter into this folder",
                               exercise.path.string(), exercise.exercise.name));
}

namespace {

device::KernelSource kernel_file_of(const Exercise& exercise) {
  const Lesson lesson = find_lesson(exercise.lesson);
  return run::KernelFiles(lesson, std::nullopt).of(run::find_variant(lesson, lesson.solution));
}

}  // namespace

CourseSolution course_solution(const Exercise& exercise) {
  if (exercise.has_questions())
    return {.title = "the course's answers", .text = learn::answered_sheet(exercise)};
  if (exercise.is_program()) return {.title = "the course's " + exercise.file, .text = exercise.solution};
  const device::KernelSource file = kernel_file_of(exercise);
  const std::vector<std::string> names = report::kernel_names(exercise.starter);
  return {
      .title = "the course's kernels/" + file.name, .kernels = names, .text = kernels_of(file.text, names)};
}

std::string course_file_of(const Exercise& exercise) {
  if (exercise.has_questions()) return learn::answered_sheet(exercise);
  if (exercise.is_program()) return exercise.solution;
  return report::source_with_what_it_uses(kernel_file_of(exercise).text,
                                          report::kernel_names(exercise.starter));
}

std::string kernels_of(const std::string& file_text, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string source = report::function_source(file_text, name);
    if (!source.empty()) text += (text.empty() ? "" : "\n") + source;
  }
  return text;
}

bool may_see_course_solution(const learn::ExerciseFile& exercise, const std::string& command, bool anyway) {
  const std::string& lesson = exercise.exercise.name;
  constexpr const char* names[] = {"kernel", "answers", "program"};
  const char* const what = names[static_cast<std::size_t>(exercise.exercise.kind)];
  const bool has_passed =
      !anyway && learn::ProgressFile(exercise.folder()).read().of(lesson).state == ExerciseState::passed;
  if (has_passed) return true;
  const auto remember_it = [&] {
    remember(exercise, [](ExerciseProgress& progress) {
      progress.read_solution = progress.read_solution || progress.state != ExerciseState::passed;
    });
    return true;
  };
  if (anyway) return remember_it();
  if (!can_ask())
    throw UsageError(
        fmt::format("{0} has not passed yet; gpulab hint {0} gives a hint, gpulab {1} {0} --anyway shows "
                    "the course's {2}",
                    lesson, command, what));
  if (says_yes(fmt::format("{} has not passed yet. Show the course's {}?", lesson, what)))
    return remember_it();
  tell(fmt::format("gpulab hint {} gives a hint instead\n", lesson));
  return false;
}

}  // namespace gpulab::cli
