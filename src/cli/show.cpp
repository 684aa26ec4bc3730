#include <algorithm>
#include <set>

#include "cli/command.hpp"
#include "cli/find_lesson.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "report/source_parts.hpp"
#include "report/source_text.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab {
namespace {

struct ShowOptions {
  std::string lesson;
  std::string variant;
  std::optional<std::filesystem::path> kernels;
};

std::string source_of(const Lesson& lesson, const ShowOptions& options) {
  const KernelFiles files(lesson, options.kernels);
  if (!options.variant.empty()) {
    const Variant& variant = find_variant(lesson, options.variant);
    const KernelSource& file = files.of(variant);
    if (variant.kernel.empty()) return file.text;  // it has several, none of which stands for all
    std::string source = function_source(file.text, variant.kernel);
    if (source.empty()) throw UsageError(file.name + " has no kernel " + variant.kernel);
    return source;
  }
  std::string text;
  std::set<std::string> shown;
  for (const Variant& variant : lesson.variants) {
    const KernelSource& source = files.of(variant);
    if (shown.insert(source.name).second) text += (text.empty() ? "" : "\n") + source.text;
  }
  return text;
}

}  // namespace

void add_show(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("show", "the source of a lesson's kernels, or of one variant's");
  auto options = std::make_shared<ShowOptions>();
  command->add_option("lesson", options->lesson, "the lesson")->required();
  command->add_option("variant", options->variant, "one of its variants");
  command->add_option("--kernels", options->kernels, "read the kernel files from this folder");
  command->callback([&context, options] {
    context.action = [options] {
      const std::string source = source_of(find_lesson(options->lesson), *options);
      Output({}).write(source_text(source, style_of_stdout()));
      return ExitCode::ok;
    };
  });
}

}  // namespace gpulab
