#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/lesson_options.hpp"
#include "cli/output.hpp"
#include "core/registry.hpp"
#include "report/documents.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

// The same for all ways to name a file, whether it is there or not.
std::filesystem::path whole_path(const std::filesystem::path& file) {
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
}

// The files that the lesson's own options ask for, by option. They are made before anything is run, so that a
// file that cannot be written is refused at once.
void prepare_artifacts(const Lesson& lesson, const Settings& settings,
                       const std::optional<std::filesystem::path>& output,
                       std::map<std::string, Output>& artifacts) {
  std::map<std::filesystem::path, std::string> options_by_file;
  for (const Option& option : lesson.options)
    if (std::holds_alternative<InputFile>(option.kind))
      if (const auto file = settings.file(option.name))
        options_by_file.try_emplace(whole_path(*file), option.name);
  if (output) options_by_file.try_emplace(whole_path(*output), "output");
  for (const Option& option : lesson.options) {
    if (!std::holds_alternative<OutputFile>(option.kind)) continue;
    const auto file = settings.file(option.name);
    if (!file) continue;
    const auto [other, is_new] = options_by_file.try_emplace(whole_path(*file), option.name);
    if (!is_new)
      throw UsageError("--" + other->second + " and --" + option.name + " name the same file, " +
                       file->string());
    artifacts.try_emplace(option.name, file);
  }
}

void mention(const std::filesystem::path& written, Narrator& narrator) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(written, ignored)) narrator.remark("wrote " + written.string());
}

ExitCode run(const Lesson& lesson, const LessonWords& words, const std::vector<std::string>& typed) {
  run::RunOptions options = run_options(lesson, words);
  // Refuses what makes no sense before a device is opened.
  Problem problem = lesson.problem(options.settings);
  Output output(words.output);
  std::map<std::string, Output> artifacts;
  prepare_artifacts(lesson, options.settings, words.output, artifacts);
  Output trace(words.trace);

  Narrator narrator(words.quiet);
  options.progress = [&](const std::string& what) { narrator.progress(lesson.name + ": " + what); };
  options.remark = [&](const std::string& line) { narrator.remark(line); };
  device::CompileCache cache;
  const auto device = run::open_device(
      words.device_choice(), static_cast<int>(words.device_index.value_or(0)), cache, options.remark);
  const RunFacts facts = run::run_facts(typed);
  const LessonResult result = run::run_lesson(lesson, options, std::move(problem), *device);

  narrator.wipe();
  const report::TextStyle style = output.is_file() ? report::TextStyle{} : style_of_stdout();
  if (words.format == "json")
    output.write(report::lesson_json(result, facts));
  else
    output.show(report::lesson_text(result, style));
  if (words.output) mention(*words.output, narrator);
  for (const Artifact& artifact : result.artifacts) {
    artifacts.at(artifact.option).write(artifact.content);
    mention(*options.settings.file(artifact.option), narrator);
  }
  if (words.trace) {
    trace.write(report::trace_json(result));
    mention(*words.trace, narrator);
  }
  tell(failures_text(result.lesson, result.variants));
  return exit_code_of(result);
}

}  // namespace

void add_lessons(CLI::App& app, CommandContext& context) {
  for (Lesson& lesson : all_lessons()) {
    CLI::App* command = app.add_subcommand(lesson.name, lesson.title);
    for (const std::string& alias : lesson.aliases) command->alias(alias);
    auto words = std::make_shared<LessonWords>();
    add_lesson_options(*command, lesson, *words);
    const auto kept = std::make_shared<Lesson>(std::move(lesson));
    command->footer([kept] { return about(*kept); });
    command->callback([&context, words, kept] {
      context.action = [&context, words, kept] { return run(*kept, *words, context.words); };
    });
  }
}

}  // namespace gpulab::cli
