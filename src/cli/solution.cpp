#include "cli/command.hpp"
#include "cli/course_solution.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "report/source_text.hpp"

namespace gpulab {
namespace {

struct SolutionWords {
  std::string exercise;
  bool anyway = false;
};

ExitCode run(const SolutionWords& words) {
  const ExerciseFile exercise = asked_or_last_checked(words.exercise);
  if (!may_see_course_solution(exercise, "solution", words.anyway)) return ExitCode::ok;
  const std::string text = course_file_of(exercise.exercise);
  Output({}).write(exercise.exercise.has_questions() ? text : source_text(text, style_of_stdout()));
  return ExitCode::ok;
}

}  // namespace

void add_solution(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("solution", "the course's kernel, or answers, once the exercise has passed");
  auto words = std::make_shared<SolutionWords>();
  command->add_option("lesson", words->exercise,
                      "the lesson, or its file; without it, the last that was checked, or the next");
  command->add_flag("--anyway", words->anyway, "also before it has passed, without a question");
  command->callback([&context, words] { context.action = [words] { return run(*words); }; });
}

}  // namespace gpulab
