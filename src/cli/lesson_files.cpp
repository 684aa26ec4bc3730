#include "cli/lesson_files.hpp"

#include "core/error.hpp"
#include "report/documents.hpp"

namespace gpulab::cli {
namespace {

// The same for all ways to name a file, whether it is there or not.
std::filesystem::path whole_path(const std::filesystem::path& file) {
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
}

void refuse_files_of_several_sizes(const LessonWords& words, const std::map<std::string, Output>& artifacts) {
  const std::string option = words.trace ? "trace" : artifacts.empty() ? "" : artifacts.begin()->first;
  if (!option.empty()) throw UsageError("--" + option + " writes what one size shows; give --size one value");
}

}  // namespace

LessonFiles::LessonFiles(const Lesson& lesson, const Settings& settings, const LessonWords& words,
                         bool has_several_sizes)
    : words_(words), trace_(words.trace) {
  std::map<std::filesystem::path, std::string> options_by_file;
  for (const Option& option : lesson.options)
    if (std::holds_alternative<InputFile>(option.kind))
      if (const auto file = settings.file(option.name))
        options_by_file.try_emplace(whole_path(*file), option.name);
  const auto claim = [&](const std::string& option, const std::filesystem::path& file) {
    const auto [other, is_new] = options_by_file.try_emplace(whole_path(file), option);
    if (!is_new)
      throw UsageError("--" + other->second + " and --" + option + " name the same file, " + file.string());
  };
  if (words.output) claim("output", *words.output);
  if (words.trace) claim("trace", *words.trace);
  for (const Option& option : lesson.options) {
    if (!std::holds_alternative<OutputFile>(option.kind)) continue;
    const auto file = settings.file(option.name);
    if (!file) continue;
    claim(option.name, *file);
    named_.try_emplace(option.name, *file);
    artifacts_.try_emplace(option.name, file);
  }
  if (has_several_sizes) refuse_files_of_several_sizes(words, artifacts_);
}

void LessonFiles::write(const LessonResult& result, Narrator& narrator) {
  for (const Artifact& artifact : result.artifacts) {
    artifacts_.at(artifact.option).write(artifact.content);
    mention(named_.at(artifact.option), narrator);
  }
  if (!words_.trace) return;
  trace_.write(report::trace_json(result));
  mention(*words_.trace, narrator);
}

void mention(const std::filesystem::path& written, Narrator& narrator) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(written, ignored)) narrator.remark("wrote " + written.string());
}

}  // namespace gpulab::cli
