#include <fmt/format.h>
#include <limits>
#include <optional>

#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "report/diff.hpp"
#include "report/source.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct DiffWords {
  std::string lesson;
  std::vector<std::string> variants;
  std::optional<std::filesystem::path> kernels;
  bool anyway = false;
};

bool has_columns(const report::TextStyle& style, unsigned least) {
  return stdout_is_terminal() && style.width >= least;
}

// The learner's kernels of these names or, where there are none, everything.
report::NamedSource learners(const learn::ExerciseFile& exercise, const std::vector<std::string>& kernels) {
  const std::string text = run::read_text_file(exercise.path, run::kernel_file),
                    source = kernels_of(text, kernels);
  return {exercise.path.string(), source.empty() ? text : source};
}

ExitCode diff_with_the_course(const DiffWords& words) {
  constexpr unsigned min_width_for_two_columns = 100;
  const learn::ExerciseFile exercise = asked_or_last_checked(words.lesson);
  require_file(exercise);
  if (!may_see_course_solution(exercise, "diff", words.anyway)) return ExitCode::ok;
  const CourseSolution course = course_solution(exercise.exercise);
  const report::NamedSource left = learners(exercise, course.kernels);
  const report::NamedSource right{course.title, course.text};
  const report::TextStyle style = style_of_stdout();
  print(has_columns(style, min_width_for_two_columns) ? report::side_by_side(left, right, style)
                                                      : report::unified_diff(left, right, style));
  return ExitCode::ok;
}

report::VariantSource source_of(const Lesson& lesson, const std::string& name,
                                const run::KernelFiles& files) {
  const Variant& variant = run::find_variant(lesson, name);
  if (!variant.library.empty())
    throw UsageError("variant '" + name + "' is a call of a library, so it has no kernel to compare");
  if (variant.kernel.empty())
    throw UsageError(
        fmt::format("variant '{1}' has several kernels, none of which stands for all; gpulab "
                    "show {0} {1} prints them",
                    lesson.name, name));
  const device::KernelSource& file = files.of(variant);
  if (report::function_source(file.text, variant.kernel).empty())
    throw UsageError(file.name + " has no kernel " + variant.kernel);
  return {.name = name,
          .idea = variant.idea,
          .file = file.name,
          .file_text = file.text,
          .kernel = variant.kernel};
}

ExitCode diff_of_variants(const DiffWords& words) {
  const Lesson lesson = find_lesson(words.lesson);
  const std::vector<std::string>& names = words.variants;
  if (names.size() != 2)
    throw UsageError(fmt::format("diff compares two variants of {}, not {}: gpulab diff {} A B", lesson.name,
                                 names.size(), words.lesson));
  const run::KernelFiles files(lesson, words.kernels);
  const report::VariantSource left = source_of(lesson, names[0], files),
                              right = source_of(lesson, names[1], files);
  if (names[0] == names[1])
    throw UsageError("both are variant '" + names[0] + "', so there is nothing to compare");
  report::TextStyle style = style_of_stdout();
  const bool is_wide = has_columns(style, report::width_of_two_columns);
  // In a pipe the lines of a source stay whole.
  if (!stdout_is_terminal() && !wanted_columns()) style.width = std::numeric_limits<unsigned>::max();
  print(report::variant_diff(left, right,
                             is_wide ? report::DiffLayout::side_by_side : report::DiffLayout::below, style));
  return ExitCode::ok;
}

ExitCode diff(const DiffWords& words) {
  if (words.variants.empty() && words.kernels)
    throw UsageError("--kernels goes with two variants: gpulab diff LESSON A B --kernels DIR");
  if (!words.variants.empty() && words.anyway)
    throw UsageError("--anyway goes with an exercise; two variants are shown to everybody");
  return words.variants.empty() ? diff_with_the_course(words) : diff_of_variants(words);
}

}  // namespace

void add_diff(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("diff", "show your kernel beside the course's, or two variants");
  auto words = std::make_shared<DiffWords>();
  command
      ->add_option("lesson", words->lesson,
                   "the lesson, or its exercise file; default: the last that was checked, or the next")
      ->type_name("LESSON");
  command->add_option("variants", words->variants, "two variants of the lesson, to compare their kernels")
      ->type_name("VARIANT");
  command->add_option("--kernels", words->kernels, "read the variants' kernel files from this folder")
      ->type_name("DIR");
  command->add_flag("--anyway", words->anyway, "show the course's before you have passed, without asking");
  command->callback([&context, words] { context.action = [words] { return diff(*words); }; });
}

}  // namespace gpulab::cli
