#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/output.hpp"

namespace gpulab {
namespace {

ExitCode run(const std::string& word) {
  const ExerciseFile exercise = find_exercise(word).with_own_name();
  const std::string file = exercise.path.string();
  if (!write_starter(exercise))
    throw UsageError(
        fmt::format("{0} is there already, and stays as it is; gpulab check {0} checks it, gpulab reset {0} "
                    "begins again",
                    file));
  remember(exercise, [](ExerciseProgress& progress) {
    if (progress.state == ExerciseState::not_started) progress.state = ExerciseState::started;
  });
  Output({}).write(fmt::format("{} is written.\n", file) + what_to_do(exercise));
  return ExitCode::ok;
}

}  // namespace

void add_start(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("start", "write the starter of an exercise into this folder");
  auto word = std::make_shared<std::string>();
  command->add_option("lesson", *word, "the lesson, or the file to write")->required();
  command->callback([&context, word] { context.action = [word] { return run(*word); }; });
}

}  // namespace gpulab
