#include <algorithm>
#include <limits>
#include <set>

#include "cli/command.hpp"
#include "cli/inspection.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "report/inspection.hpp"
#include "report/source.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct ShowOptions {
  std::string lesson;
  std::string variant;
  std::optional<std::filesystem::path> kernels;
  bool annotate = false;
  std::string format;
};

std::string source_of(const Lesson& lesson, const ShowOptions& options) {
  const run::KernelFiles files(lesson, options.kernels);
  if (!options.variant.empty()) {
    const Variant& variant = run::find_variant(lesson, options.variant);
    if (!variant.library.empty())
      throw UsageError("variant '" + variant.name + "' is a call of a library, so it has no kernel to show");
    const device::KernelSource& file = files.of(variant);
    if (variant.kernel.empty()) return file.text;  // it has several, none of which stands for all
    std::string source = report::function_source(file.text, variant.kernel);
    if (source.empty()) throw UsageError(file.name + " has no kernel " + variant.kernel);
    return source;
  }
  std::string text;
  std::set<std::string> shown;
  for (const Variant& variant : lesson.variants) {
    const device::KernelSource& source = files.of(variant);
    if (shown.insert(source.name).second) text += (text.empty() ? "" : "\n") + source.text;
  }
  return text;
}

// A source that is not read on a terminal is not cut.
report::TextStyle style_of_sources() {
  report::TextStyle style = style_of_stdout();
  if (!stdout_is_terminal()) style.width = std::numeric_limits<unsigned>::max();
  return style;
}

ExitCode annotate(const Lesson& lesson, const ShowOptions& options) {
  run::RunOptions run{.settings = lesson.default_settings(), .kernels = options.kernels};
  if (!options.variant.empty()) run.variants = {options.variant};
  const Inspection inspection = inspect_on_simulator(lesson, run);
  return finish(
      report_of(inspection, options.format == "json"
                                ? report::annotated_json(inspection)
                                : report::annotated_text(inspection, style_of_stdout(), style_of_sources())));
}

ExitCode run(const ShowOptions& options) {
  const Lesson lesson = find_lesson(options.lesson);
  if (options.annotate) return annotate(lesson, options);
  if (options.format == "json") throw UsageError("--format json goes with --annotate: a source is text");
  Output({}).write(report::source_text(source_of(lesson, options), style_of_stdout()));
  return ExitCode::ok;
}

}  // namespace

void add_show(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("show", "the source of a lesson's kernels, or of one variant's");
  auto options = std::make_shared<ShowOptions>();
  command->add_option("lesson", options->lesson, "the lesson")->required();
  command->add_option("variant,--variant", options->variant, "one of its variants");
  command->add_option("--kernels", options->kernels, "read the kernel files from this folder");
  command->add_flag("--annotate", options->annotate,
                    "with what each line asks of memory, as inspect counts it");
  add_format_option(*command, options->format);
  command->callback([&context, options] { context.action = [options] { return run(*options); }; });
}

}  // namespace gpulab::cli
