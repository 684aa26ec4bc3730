#include "report/diff_text.hpp"

#include "cli/command.hpp"
#include "cli/course_solution.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "run/read_text_file.hpp"

namespace gpulab {
namespace {

constexpr unsigned least_width_for_two_columns = 100;

struct DiffWords {
  std::string exercise;
  bool anyway = false;
};

// The learner's kernels of these names or, where there are none, everything.
NamedSource learners(const ExerciseFile& exercise, const std::vector<std::string>& kernels) {
  const std::string text = read_text_file(exercise.path, kernel_file), source = kernels_of(text, kernels);
  return {exercise.path.string(), source.empty() ? text : source};
}

ExitCode run(const DiffWords& words) {
  const ExerciseFile exercise = asked_or_last_checked(words.exercise);
  require_file(exercise);
  if (!may_see_course_solution(exercise, "diff", words.anyway)) return ExitCode::ok;
  const CourseSolution course = course_solution(exercise.exercise);
  const NamedSource left = learners(exercise, course.kernels);
  const NamedSource right{course.title, course.text};
  const TextStyle style = style_of_stdout();
  const bool is_wide = stdout_is_terminal() && style.width >= least_width_for_two_columns;
  Output({}).write(is_wide ? side_by_side(left, right, style) : unified_diff(left, right, style));
  return ExitCode::ok;
}

}  // namespace

void add_diff(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("diff", "yours beside the course's, once the exercise has passed");
  auto words = std::make_shared<DiffWords>();
  command->add_option("lesson", words->exercise,
                      "the lesson, or its file; without it, the last that was checked, or the next");
  command->add_flag("--anyway", words->anyway, "also before it has passed, without a question");
  command->callback([&context, words] { context.action = [words] { return run(*words); }; });
}

}  // namespace gpulab
