#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "learn/progress.hpp"
#include "learn/sharing.hpp"
#include "report/check_formats.hpp"
#include "report/source.hpp"

namespace gpulab::cli {
namespace {

ExitCode start(const std::string& word) {
  std::string text;
  std::vector<learn::ExerciseFile> exercises = learn::find_exercises(word);
  for (learn::ExerciseFile& exercise : exercises) {
    exercise = exercise.with_own_name();
    if (!learn::write_starter(exercise)) continue;
    remember(exercise, [](ExerciseProgress& progress) {
      if (progress.state == ExerciseState::not_started) progress.state = ExerciseState::started;
    });
    text += fmt::format("wrote {}\n", exercise.path.string()) + what_to_do(exercise);
  }
  if (text.empty())
    throw UsageError(
        fmt::format("{0} already exists; gpulab check {0} checks it, gpulab reset {0} begins again",
                    exercises.front().path.string()));
  Output({}).write(text);
  return ExitCode::ok;
}

}  // namespace

void add_start(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("start", "write the starter of an exercise into this folder");
  auto word = std::make_shared<std::string>();
  command->add_option("lesson", *word, "the lesson, or the file to write")->required()->type_name("EXERCISE");
  command->callback([&context, word] { context.action = [word] { return start(*word); }; });
}

void add_hint(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("hint", "give one more hint each time");
  auto word = std::make_shared<std::string>();
  command
      ->add_option("lesson", *word,
                   "the lesson, or its file; default: the last that was checked, or the next")
      ->type_name("EXERCISE");
  command->callback([&context, word] {
    context.action = [word] {
      print(next_hint(asked_or_in_hand(*word)));
      return ExitCode::ok;
    };
  });
}

namespace {

struct SolutionWords {
  std::string exercise;
  bool anyway = false;
};

ExitCode show_solution(const SolutionWords& words) {
  const learn::ExerciseFile exercise = asked_or_last_checked(words.exercise);
  if (!may_see_course_solution(exercise, "solution", words.anyway)) return ExitCode::ok;
  const std::string text = course_file_of(exercise.exercise);
  print(exercise.exercise.has_questions() ? text : report::source_text(text, style_of_stdout()));
  return ExitCode::ok;
}

}  // namespace

void add_solution(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("solution", "show the course's kernel or answers, once you have passed");
  auto words = std::make_shared<SolutionWords>();
  command
      ->add_option("lesson", words->exercise,
                   "the lesson, or its file; default: the last that was checked, or the next")
      ->type_name("EXERCISE");
  command->add_flag("--anyway", words->anyway, "show it before you have passed, without asking");
  command->callback([&context, words] { context.action = [words] { return show_solution(*words); }; });
}

namespace {

ExitCode reset(const std::string& word) {
  const learn::ExerciseFile exercise = learn::find_exercise(word).with_own_name();
  const auto kept = learn::restore_starter(exercise);
  remember(exercise, [](ExerciseProgress& progress) {
    progress = {.state = ExerciseState::started, .read_solution = progress.read_solution};
  });
  std::string text = fmt::format("{} is the starter again.\n", exercise.path.string());
  if (kept) text += fmt::format("Your version is now {}.\n", kept->string());
  Output({}).write(text + what_to_do(exercise));
  return ExitCode::ok;
}

}  // namespace

void add_reset(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("reset", "begin an exercise again; your file is kept as a copy");
  auto word = std::make_shared<std::string>();
  command->add_option("lesson", *word, "the lesson, or its file")->required()->type_name("EXERCISE");
  command->callback([&context, word] { context.action = [word] { return reset(*word); }; });
}

namespace {

struct ProgressWords {
  std::string format;
  std::optional<std::string> share, name;
};

std::string change_sharing(const ProgressWords& words) {
  if (!words.share) throw UsageError("--name goes with --share DIR: it is the name that the class sees");
  if (*words.share == "none") {
    const bool was_shared = learn::stop_sharing(".");
    return was_shared ? "Your progress in this folder is not shared any more.\n"
                      : "Your progress in this folder is not shared.\n";
  }
  const auto file = learn::start_sharing(".", *words.share, words.name.value_or(""));
  return fmt::format(
      "From now on, each check in this folder also writes\n  {}\nyour name, the exercises that you have "
      "begun or "
      "passed, the number of checks of\neach, its last pattern, and when you checked last. Nothing of your "
      "files "
      "is in\nit. gpulab progress --share none ends it.\n",
      file.string());
}

ExitCode show_progress(const ProgressWords& words) {
  if (words.share || words.name) {
    Output({}).write(change_sharing(words));
    return ExitCode::ok;
  }
  const auto all = learn::standings(learn::ProgressFile(".").read());
  if (words.format == "json")
    Output({}).write(report::progress_json(all));
  else
    print(report::progress_text(all, style_of_stdout()));
  return ExitCode::ok;
}

}  // namespace

void add_progress(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("progress", "list the exercises, and which have passed in this folder");
  auto words = std::make_shared<ProgressWords>();
  command->add_option("--share", words->share, "let gpulab class DIR see how far you are; none: no longer")
      ->type_name("DIR");
  command
      ->add_option("--name", words->name, "with --share: what you are called there (default: your user name)")
      ->type_name("NAME");
  add_format_option(*command, words->format);
  command->callback([&context, words] { context.action = [words] { return show_progress(*words); }; });
}

void add_next(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("next", "begin the next exercise: say what it is and write its starter");
  command->callback([&context] {
    context.action = [] {
      Output({}).write(go_on("."));
      return ExitCode::ok;
    };
  });
}

}  // namespace gpulab::cli
