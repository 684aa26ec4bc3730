#include <fmt/format.h>
#include <algorithm>

#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/inspection.hpp"
#include "cli/lesson_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "learn/check_exercise.hpp"
#include "learn/files.hpp"
#include "report/documents.hpp"
#include "run/inspect_lesson.hpp"

namespace gpulab::cli {
namespace {

constexpr const char* inspect_footer =
    "The simulator counts every memory access, at a size that stays quick. Without --variant all "
    "variants of the lesson are shown, so that you can compare them. A file takes the place of the "
    "lesson's solution, and its name can stand alone: gpulab inspect shared_histogram.cu. "
    "gpulab inspect LESSON --help lists the options that the lesson adds.";

struct InspectWords {
  std::string lesson;
  std::string file;
  LessonWords options;
};

// The first word behind "inspect" that is neither an option nor its value; empty when there is none. The
// lesson's options have to be known before the words are parsed.
std::string first_argument(const std::vector<std::string>& words) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return words[i];
    if (words[i].find('=') == std::string::npos) ++i;
  }
  return "";
}

// The lesson that is named, by itself or by a learner's file. Throws UsageError when there is none.
Lesson named_lesson(const std::string& word) {
  return find_lesson(learn::is_file_name(word) ? learn::find_exercise(word).exercise.lesson : word);
}

// A run for numbers alone writes none of the lesson's files.
void add_options(CLI::App& command, Lesson lesson, LessonWords& words) {
  std::erase_if(lesson.options,
                [](const Option& option) { return std::holds_alternative<OutputFile>(option.kind); });
  add_what_runs(command, lesson, words);
}

InspectionReport reported(const InspectWords& words, const Inspection& inspection,
                          const report::TextStyle& style) {
  return report_of(inspection, words.options.format == "json" ? report::inspection_json(inspection)
                                                              : report::inspection_text(inspection, style));
}

InspectionReport inspect_file(const Lesson& lesson, const InspectWords& words, const std::string& path) {
  const run::RunOptions options = run_options(lesson, words.options);
  return reported(words, learn::inspect_file(lesson, options, learn::learners_file(path)), style_of_stdout());
}

InspectionReport inspect_variants(const Lesson& lesson, const InspectWords& words) {
  return reported(words, inspect_on_simulator(lesson, run_options(lesson, words.options)), style_of_stdout());
}

ExitCode run(const InspectWords& words) {
  const Lesson lesson = named_lesson(words.lesson);
  const bool is_alone = learn::is_file_name(words.lesson);
  if (lesson.variants.front().is_program ||
      (is_alone && learn::find_exercise(words.lesson).exercise.is_program()))
    throw UsageError(
        fmt::format("inspect takes kernels, and this is a whole program: gpulab run --inspect {} counts "
                    "its accesses",
                    is_alone ? words.lesson : "FILE"));
  if (is_alone && !words.file.empty())
    throw UsageError("inspect takes one file, or a lesson and a file, and got " + words.lesson + " and " +
                     words.file);
  const std::string file = is_alone ? words.lesson : words.file;
  if (file.empty()) return finish(inspect_variants(lesson, words), words.options.format == "json");
  if (!words.options.run.variants.empty())
    throw UsageError(fmt::format("{} takes the place of {}, the solution of {}: leave --variant out", file,
                                 lesson.solution, lesson.name));
  if (is_alone) require_file(learn::find_exercise(file));
  return finish(inspect_file(lesson, words, file), words.options.format == "json");
}

}  // namespace

void add_inspect(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("inspect", "say what each line of a kernel asks of memory");
  command->footer(inspect_footer);
  auto words = std::make_shared<InspectWords>();
  command->add_option("lesson", words->lesson, "the lesson, or the file of an exercise")
      ->required()
      ->type_name("LESSON");
  command->add_option("file", words->file, "your own kernel file, in place of the lesson's solution")
      ->type_name("FILE");
  const bool is_meant = context.words.size() > 1 && context.words[1] == "inspect";
  if (const std::string word = is_meant ? first_argument(context.words) : ""; !word.empty()) {
    // A name that is wrong is told first, before the options that only a lesson has.
    const Lesson lesson = named_lesson(word);
    add_options(*command, lesson, words->options);
  }
  command->option_defaults()->group("Output");
  add_format_option(*command, words->options.format);
  command->callback([&context, words] { context.action = [words] { return run(*words); }; });
}

}  // namespace gpulab::cli
