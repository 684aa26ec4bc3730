#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/output.hpp"

namespace gpulab {

void add_hint(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("hint", "one more hint each time, and what fits the last check");
  auto word = std::make_shared<std::string>();
  command->add_option("lesson", *word,
                      "the lesson, or its file; without it, the last that was checked, or the next");
  command->callback([&context, word] {
    context.action = [word] {
      Output({}).write(next_hint(asked_or_in_hand(*word)));
      return ExitCode::ok;
    };
  });
}

}  // namespace gpulab
