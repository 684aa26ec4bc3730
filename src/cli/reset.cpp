#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/output.hpp"

namespace gpulab {
namespace {

ExitCode run(const std::string& word) {
  const ExerciseFile exercise = find_exercise(word).with_own_name();
  const auto kept = restore_starter(exercise);
  remember(exercise, [](ExerciseProgress& progress) { progress = {.state = ExerciseState::started}; });
  std::string text = fmt::format("{} is the starter again.\n", exercise.path.string());
  if (kept) text += fmt::format("What was in it is in {}.\n", kept->string());
  Output({}).write(text + what_to_do(exercise));
  return ExitCode::ok;
}

}  // namespace

void add_reset(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("reset", "begin an exercise again; what is there is kept as a numbered copy");
  auto word = std::make_shared<std::string>();
  command->add_option("lesson", *word, "the lesson, or its file")->required();
  command->callback([&context, word] { context.action = [word] { return run(*word); }; });
}

}  // namespace gpulab
