#include <fmt/format.h>
#include <filesystem>
#include <limits>
#include <set>

#include "cli/command.hpp"
#include "cli/inspection.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/files.hpp"
#include "core/registry.hpp"
#include "learn/files.hpp"
#include "report/documents.hpp"
#include "report/source.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct ShowOptions {
  std::string lesson;
  std::vector<std::string> variants;
  std::optional<std::filesystem::path> kernels;
  bool annotate = false;
  std::string format;
};

std::string source_of(const Lesson& lesson, const std::string& name, const run::KernelFiles& files) {
  const Variant& variant = run::find_variant(lesson, name);
  if (!variant.library.empty())
    throw UsageError("variant '" + variant.name + "' is a call of a library, so it has no kernel to show");
  const device::KernelSource& file = files.of(variant);
  if (variant.kernel.empty()) return file.text;  // it has several, none of which stands for all
  std::string source = report::function_source(file.text, variant.kernel);
  if (source.empty()) throw UsageError(file.name + " has no kernel " + variant.kernel);
  return source;
}

std::string source_of(const Lesson& lesson, const ShowOptions& options) {
  const run::KernelFiles files(lesson, options.kernels);
  std::string text;
  for (const std::string& name : options.variants)
    text += (text.empty() ? "" : "\n") + source_of(lesson, name, files);
  if (!text.empty()) return text;
  std::set<std::string> shown;
  for (const Variant& variant : lesson.variants) {
    const device::KernelSource& source = files.of(variant);
    if (shown.insert(source.name).second) text += (text.empty() ? "" : "\n") + source.text;
  }
  return text;
}

// A source is cut at the width of a terminal, or at the width that is asked for, and nowhere else.
report::TextStyle style_of_sources() {
  report::TextStyle style = style_of_stdout();
  if (!stdout_is_terminal() && !wanted_columns()) style.width = std::numeric_limits<unsigned>::max();
  return style;
}

ExitCode annotate(const Lesson& lesson, const ShowOptions& options) {
  run::RunOptions run{.settings = lesson.default_settings(), .kernels = options.kernels};
  for (const std::string& name : options.variants)
    run.variants.push_back(run::find_variant(lesson, name).name);
  const Inspection inspection = inspect_on_simulator(lesson, run);
  return finish(
      report_of(inspection, options.format == "json"
                                ? report::annotated_json(inspection)
                                : report::annotated_text(inspection, style_of_stdout(), style_of_sources())),
      options.format == "json");
}

ExitCode run(const ShowOptions& options) {
  const Lesson lesson = find_lesson(options.lesson);
  if (options.annotate) return annotate(lesson, options);
  if (options.format == "json") throw UsageError("--format json goes with --annotate: a source is text");
  print(report::source_text(source_of(lesson, options), style_of_stdout()));
  return ExitCode::ok;
}

}  // namespace

void add_show(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("show", "print the source of a lesson's kernels, or of one variant");
  auto options = std::make_shared<ShowOptions>();
  command->add_option("lesson", options->lesson, "the lesson")->required()->type_name("LESSON");
  command->add_option("variant,--variant", options->variants, "only these of its variants")
      ->type_name("VARIANT");
  command->add_option("--kernels", options->kernels, "read the kernel files from this folder")
      ->type_name("DIR");
  command->add_flag("--annotate", options->annotate, "say beside each line what it asks of memory");
  add_format_option(*command, options->format);
  command->callback([&context, options] { context.action = [options] { return run(*options); }; });
}

namespace {

namespace fs = std::filesystem;

struct KernelsWords {
  std::string lesson;
  std::filesystem::path folder;
  bool force = false;
};

std::set<std::string> kernel_files(const std::string& lesson) {
  std::set<std::string> files;
  for (const Lesson& one : lesson.empty() ? all_lessons() : std::vector{find_lesson(lesson)})
    for (const Variant& variant : one.variants) files.insert(one.file_of(variant));
  return files;
}

// Whether there is something of that name that is not the course's file.
bool is_changed(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return false;
  return !fs::is_regular_file(path, ignored) || run::read_text_file(path, run::kernel_file) != text;
}

ExitCode write_kernels(const KernelsWords& words) {
  const std::set<std::string> files = kernel_files(words.lesson);
  std::error_code failed;
  fs::create_directories(words.folder, failed);
  if (!fs::is_directory(words.folder, failed))
    throw UsageError("cannot make the folder '" + words.folder.string() + "'");
  std::string wrote, kept;
  for (const std::string& file : files) {
    const fs::path path = words.folder / file;
    const std::string text = run::embedded_kernel_file(file);
    const bool stays = !words.force && is_changed(path, text);
    if (!stays) replace_file(path, text);
    (stays ? kept : wrote) += "  " + path.string() + "\n";
  }
  if (!wrote.empty()) wrote = "wrote\n" + wrote;
  if (!kept.empty()) kept = "kept, because they differ from the course's (--force overwrites them)\n" + kept;
  Output({}).write(fmt::format("{}{}To run them, with your changes:\n  gpulab {} --kernels {}\n", wrote, kept,
                               words.lesson.empty() ? "LESSON" : words.lesson, words.folder.string()));
  return ExitCode::ok;
}

}  // namespace

void add_kernels(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("kernels", "write the kernel files into a folder, to edit and run them");
  auto words = std::make_shared<KernelsWords>();
  command->add_option("lesson", words->lesson, "only the files of this lesson")->type_name("LESSON");
  command->add_option("--to", words->folder, "the folder; it is made if it is not there")
      ->required()
      ->type_name("DIR");
  command->add_flag("--force", words->force, "overwrite files that differ from the course's");
  command->footer("gpulab LESSON --kernels DIR runs the files of a folder as they are, without a build.");
  command->callback([&context, words] { context.action = [words] { return write_kernels(*words); }; });
}

}  // namespace gpulab::cli
