#include "base/lists.hpp"
#include "cli/lesson_options.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "check/files.hpp"
#include "check/progress.hpp"
#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/documents.hpp"
#include "run/run_options.hpp"
#include "source/diff.hpp"
#include "source/source_parts.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

struct ShowOptions {
  std::string lesson;
  std::vector<std::string> variants;
  std::optional<fs::path> kernels, to;
  bool annotate = false, force = false, anyway = false;
  std::string format;
};

// Kernels to show of one file; none are listed if the whole file is shown.
struct ShownFile {
  const device::KernelSource* source = nullptr;
  std::vector<std::string> kernels;
  bool is_whole = false;
};

void add_kernel_of(const Lesson& lesson, const std::string& name, const run::KernelFiles& files,
                   std::vector<ShownFile>& shown) {
  const Variant& variant = run::find_variant(lesson, name);
  if (!variant.library.empty())
    throw UsageError("variant '" + variant.name + "' is a call of a library, so it has no kernel to show");
  const device::KernelSource& source = files.of(variant);
  auto file = std::ranges::find(shown, source.name, [](const ShownFile& old) { return old.source->name; });
  if (file == shown.end()) file = shown.insert(file, {&source, {}, /*is_whole=*/false});
  // A variant that names no kernel has several, so the whole file is shown.
  if (variant.kernel.empty()) file->is_whole = true;
  if (file->is_whole) return;
  if (source::function_source(source.text, variant.kernel).empty())
    throw UsageError(source.name + " has no kernel " + variant.kernel);
  add_once(file->kernels, variant.kernel);
}

// Returns a comment on how a variant differs from an earlier one with the same kernel; empty if there is no
// earlier one.
std::string difference_outside(const Lesson& lesson, const Variant& variant) {
  const auto first = std::ranges::find_if(lesson.variants, [&](const Variant& other) {
    return other.kernel == variant.kernel && lesson.file_of(other) == lesson.file_of(variant);
  });
  if (variant.kernel.empty() || first == lesson.variants.end() || first->name == variant.name) return "";
  return fmt::format("// {}: {}. The kernel is that of {}; the difference is outside of it.\n\n",
                     variant.name, variant.idea, first->name);
}

// Returns whole files, or kernels below their file's introduction, with the functions and constants that they
// use.
std::string text_to_print(const Lesson& lesson, const ShowOptions& options) {
  const run::KernelFiles files(lesson, options.kernels);
  std::vector<ShownFile> shown;
  for (const std::string& name : options.variants) add_kernel_of(lesson, name, files, shown);
  const auto is_shown = [&](const device::KernelSource& source) {
    return std::ranges::any_of(shown,
                               [&](const ShownFile& file) { return file.source->name == source.name; });
  };
  if (options.variants.empty())
    for (const Variant& variant : lesson.variants)
      if (const device::KernelSource& source = files.of(variant); !is_shown(source))
        shown.push_back({&source, {}, /*is_whole=*/true});
  std::string text, differences;
  for (const std::string& name : options.variants)
    differences += difference_outside(lesson, run::find_variant(lesson, name));
  for (const auto& [source, kernels, is_whole] : shown) {
    if (!text.empty()) text += "\n";
    if (const std::string introduction = source::introduction_of(source->text);
        !is_whole && !introduction.empty())
      text += introduction + "\n";
    text += is_whole ? source->text : source::source_with_used_parts(source->text, kernels);
  }
  return differences + text;
}

// Returns the style of an annotated or compared source: in a pipe, lines stay whole unless COLUMNS is set.
TextStyle style_of_source_with_notes() {
  return wanted_columns() ? style_of_stdout() : style_of_source();
}

ExitCode annotate(const Lesson& lesson, const ShowOptions& options) {
  run::RunOptions to_inspect{.settings = lesson.default_settings(), .kernels = options.kernels};
  for (const std::string& name : options.variants)
    to_inspect.variants.push_back(run::find_variant(lesson, name).name);
  const Inspection inspection = inspect_on_simulator(lesson, to_inspect);
  return finish(
      report_of(inspection, options.format == "json" ? run::annotated_json(inspection)
                                                     : run::annotated_text(inspection, style_of_stdout(),
                                                                           style_of_source_with_notes())),
      options.format == "json");
}

// Returns the texts of the kernel files of a lesson, or of all lessons if `name` is empty, by file name.
std::map<std::string, std::string> kernel_files(const std::string& name) {
  std::map<std::string, std::string> texts;
  for (const Lesson& lesson : name.empty() ? all_lessons() : std::vector{find_lesson(name)}) {
    const run::KernelFiles files(lesson, std::nullopt);
    for (const Variant& variant : lesson.variants) texts[lesson.file_of(variant)] = files.of(variant).text;
  }
  return texts;
}

// Returns whether the path exists and is not the course's file.
bool is_changed(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return false;
  return !fs::is_regular_file(path, ignored) || run::read_text_file(path, run::kernel_file) != text;
}

// Returns whether the learner of this folder may see these kernels. The solution of an exercise that is begun
// here, or of an instructor's own exercise, needs the same consent as for `gpulab solution`.
bool may_see(const Lesson& lesson, const ShowOptions& options) {
  if (options.kernels) return true;
  if (!lesson.kernels_text.empty())
    return may_see_course_solution(check::find_exercise(lesson.name), "show", options.anyway);
  const bool has_solution =
      options.variants.empty() || std::ranges::any_of(options.variants, [&](const std::string& name) {
        return run::find_variant(lesson, name).name == lesson.solution;
      });
  for (const check::ExerciseFile& file : check::exercises_in(".")) {
    const Exercise& exercise = file.exercise;
    const bool is_answer =
        has_solution && exercise.lesson == lesson.name && exercise.kind == ExerciseKind::kernel;
    if (is_answer &&
        check::ProgressFile(file.folder()).read().of(exercise.name).state == ExerciseState::started)
      return may_see_course_solution(file, "show", options.anyway);
  }
  return true;
}

// Writes the kernel files of a lesson, or of all, into a folder.
ExitCode write_kernels(const ShowOptions& options) {
  if (!options.variants.empty() || options.kernels || options.annotate)
    throw UsageError("--to writes whole files: gpulab show [LESSON] --to DIR [--force]");
  if (!options.lesson.empty() && !may_see(find_lesson(options.lesson), options)) return ExitCode::ok;
  const auto files = kernel_files(options.lesson);
  make_folder(*options.to);
  std::string written_files, kept_files;
  for (const auto& [file, text] : files) {
    const fs::path path = *options.to / file;
    const bool is_kept = !options.force && is_changed(path, text);
    if (!is_kept) replace_file(path, text);
    (is_kept ? kept_files : written_files) += fmt::format("  {}\n", path.string());
  }
  std::string report;
  if (!written_files.empty()) report += "wrote\n" + written_files;
  if (!kept_files.empty())
    report += "kept, because they differ from the course's (--force overwrites them)\n" + kept_files;
  ReportOutput({}).write(fmt::format("{}To run them, with your changes:\n  gpulab {} --kernels {}\n", report,
                                     options.lesson.empty() ? "LESSON" : options.lesson,
                                     options.to->string()));
  return ExitCode::ok;
}

ExitCode run(const ShowOptions& options) {
  if (options.to && (options.annotate || options.format == "json"))
    throw UsageError("--to writes the kernel files as they are; leave out --annotate and --format json");
  const bool is_own = !options.lesson.empty() && !find_lesson(options.lesson).kernels_text.empty();
  if (options.to && !is_own) return write_kernels(options);
  if (options.force && !options.to)
    throw UsageError("--force needs --to DIR: it overwrites files in that folder");
  if (options.lesson.empty())
    throw UsageError("show needs a LESSON: gpulab show LESSON [VARIANT...]; gpulab list shows them");
  const Lesson lesson = find_lesson(options.lesson);
  if (!may_see(lesson, options)) return ExitCode::ok;
  if (options.to) return write_kernels(options);
  if (options.annotate) return annotate(lesson, options);
  if (options.format == "json") throw UsageError("--format json needs --annotate: a source is text");
  print(source::source_text(text_to_print(lesson, options), style_of_source()));
  return ExitCode::ok;
}

}  // namespace

void add_show(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("show", "print a lesson's kernels, or write the files to edit them");
  auto options = std::make_shared<ShowOptions>();
  add_value(*command, "lesson", options->lesson, "LESSON", "the lesson; all with --to if none is named");
  add_value(*command, "variant,--variant", options->variants, "VARIANT", "only these of its variants");
  add_value(*command, "--kernels", options->kernels, "DIR", "read the kernel files from this folder");
  command->add_flag("--annotate", options->annotate, "say beside each line what it asks of memory");
  add_value(*command, "--to", options->to, "DIR",
            "write the kernel files into this folder, to edit and run them");
  command->add_flag("--force", options->force, "with --to: overwrite files that differ from the course's");
  command->add_flag("--anyway", options->anyway,
                    "show the solution of an exercise that you have begun here, without asking");
  add_format_option(*command, options->format);
  command->footer("gpulab LESSON --kernels DIR runs the files of a folder as they are, without a build.");
  set_action(*command, context, [options] { return run(*options); });
}

namespace {

struct DiffOptions {
  std::string lesson;
  std::vector<std::string> variants;
  std::optional<std::filesystem::path> kernels;
  bool anyway = false;
};

bool has_two_columns(const TextStyle& style) {
  return stdout_is_terminal() && style.width >= source::width_of_two_columns;
}

// Returns the kernels of these names and what they use, without the comments above, or the whole text if it
// has none of them.
std::string kernels_alone(const std::string& text, const std::vector<std::string>& kernels) {
  if (kernels_of(text, kernels).empty()) return text;
  const std::vector<std::string> lines = source::source_lines(text);
  std::string alone;
  for (source::PartLines part : source::lines_of_used_parts(text, kernels)) {
    while (part.first < part.last && source::is_comment_or_empty(source::source_line(lines, part.first)))
      ++part.first;
    for (int line = part.first; line <= part.last; ++line) alone += source::source_line(lines, line) + "\n";
  }
  return alone;
}

// Returns the course's answers. Leaves out a unit where the learner has the same answer without it, such as 8
// for "8 sectors".
std::string with_units_of(const std::string& learner, const std::string& course) {
  std::string text;
  const std::vector<std::string> written = lines_of(learner);
  for (const std::string& line : lines_of(course)) {
    const auto same = std::ranges::find_if(written, [&](const std::string& learners_line) {
      const bool is_answered = learners_line.starts_with("answer") && !learners_line.ends_with(':') &&
                               !learners_line.ends_with(' ');
      return is_answered && line.starts_with(learners_line + " ");
    });
    text += (same == written.end() ? line : *same) + "\n";
  }
  return text;
}

ExitCode diff_with_the_course(const DiffOptions& options) {
  const check::ExerciseFile exercise = asked_or_last_checked(options.lesson);
  require_file(exercise);
  if (!may_see_course_solution(exercise, "diff", options.anyway)) return ExitCode::ok;
  const CourseSolution course = course_solution(exercise.exercise);
  const std::string text = run::read_text_file(exercise.path, run::kernel_file);
  const source::NamedSource left{exercise.path.string(), kernels_alone(text, course.kernels)};
  const source::NamedSource right{course.title, exercise.exercise.has_questions()
                                                    ? with_units_of(left.text, course.text)
                                                    : kernels_alone(course.text, course.kernels)};
  const TextStyle style = style_of_source();
  if (left.text == right.text)
    print(fmt::format("{} is the same as {}\n", left.name, right.name));
  else
    print(has_two_columns(style) ? source::side_by_side(left, right, style)
                                 : source::unified_diff(left, right, style));
  return ExitCode::ok;
}

source::VariantSource source_of_variant(const Lesson& lesson, const std::string& name,
                                        const run::KernelFiles& files) {
  const Variant& variant = run::find_variant(lesson, name);
  if (!variant.library.empty())
    throw UsageError("variant '" + name + "' is a call of a library, so it has no kernel to compare");
  if (variant.kernel.empty())
    throw UsageError(fmt::format(
        "variant '{1}' has several kernels, so there is no single one to compare; gpulab show {0} {1} prints them",
        lesson.name, name));
  const device::KernelSource& file = files.of(variant);
  if (source::function_source(file.text, variant.kernel).empty())
    throw UsageError(file.name + " has no kernel " + variant.kernel);
  return {.name = name,
          .idea = variant.idea,
          .file = file.name,
          .file_text = file.text,
          .kernel = variant.kernel};
}

ExitCode diff_of_variants(const DiffOptions& options) {
  const Lesson lesson = find_lesson(options.lesson);
  const std::vector<std::string>& names = options.variants;
  if (names.size() != 2)
    throw UsageError(fmt::format("diff compares two variants of {}, not {}: gpulab diff {} A B", lesson.name,
                                 names.size(), options.lesson));
  const run::KernelFiles files(lesson, options.kernels);
  const source::VariantSource left = source_of_variant(lesson, names[0], files),
                              right = source_of_variant(lesson, names[1], files);
  if (names[0] == names[1])
    throw UsageError("both are variant '" + names[0] + "', so there is nothing to compare");
  const bool is_wide = has_two_columns(style_of_stdout());
  print(source::variant_diff(left, right,
                             is_wide ? source::DiffLayout::side_by_side : source::DiffLayout::below,
                             style_of_source_with_notes()));
  return ExitCode::ok;
}

ExitCode diff(const DiffOptions& options) {
  if (options.variants.empty() && options.kernels)
    throw UsageError("--kernels needs two variants: gpulab diff LESSON A B --kernels DIR");
  if (!options.variants.empty() && options.anyway)
    throw UsageError("--anyway is for an exercise; two variants are shown to everybody");
  return options.variants.empty() ? diff_with_the_course(options) : diff_of_variants(options);
}

}  // namespace

void add_diff(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "diff", "compare your kernel with the course's: diff EXERCISE; or two variants: diff LESSON A B");
  auto options = std::make_shared<DiffOptions>();
  add_value(*command, "lesson", options->lesson, "LESSON",
            "the lesson, or its exercise file; default: the last that was checked, or the next");
  add_value(*command, "variants", options->variants, "VARIANT",
            "two variants of the lesson, to compare their kernels");
  add_value(*command, "--kernels", options->kernels, "DIR",
            "read the variants' kernel files from this folder");
  command->add_flag("--anyway", options->anyway, "show the course's before you have passed, without asking");
  set_action(*command, context, [options] { return diff(*options); });
}

}  // namespace gpulab::cli
