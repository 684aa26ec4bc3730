#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/size_text.hpp"
#include "cli/terminal.hpp"
#include "core/registry.hpp"
#include "report/lesson_json.hpp"
#include "report/lesson_text.hpp"
#include "run/devices.hpp"
#include "run/run_facts.hpp"
#include "run/run_lesson.hpp"

namespace gpulab {
namespace {

// The words of one lesson's command line, as they were typed.
struct LessonWords {
  std::optional<std::string> size, block_size;
  std::string device = "auto";
  std::optional<unsigned> device_index;
  std::string format = "text";
  std::optional<std::filesystem::path> output;
  bool quiet = false;
  RunOptions run;
};

// CLI11 would turn -1 into the largest number there is.
CLI::Validator a_whole_number() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool fits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return fits ? std::string{} : fmt::format("'{}' is not a whole number of at least 0", text);
      },
      "");
}

// CLI11's own check takes NaN for a number that is not negative.
CLI::Validator a_number_from(double least) {
  return CLI::Validator(
      [least](const std::string& text) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        const bool fits = !text.empty() && *end == '\0' && number >= least && std::isfinite(number);
        return fits ? std::string{} : fmt::format("'{}' is not a number of at least {:g}", text, least);
      },
      "");
}

void add_options(CLI::App& command, const Lesson& lesson, LessonWords& words) {
  command.add_option("--size", words.size,
                     fmt::format("elements, as 33554432, 2^25 or 32Mi (default {})", lesson.default_size));
  for (const Option& option : lesson.options) {
    std::string& choice = words.run.settings.choices[option.name] = option.choices.front();
    command
        .add_option("--" + option.name, choice,
                    fmt::format("{}: {} (default {})", option.help, fmt::join(option.choices, ", "),
                                option.choices.front()))
        ->check(CLI::IsMember(option.choices));
  }
  command.add_option("--variant", words.run.variants, "run only this variant; may be given again")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--block-size", words.block_size, "threads of a block (default: each variant's own)");
  command
      .add_option("--device", words.device, "auto, cuda or simulator (default auto: a GPU if there is one)")
      ->check(CLI::IsMember({"auto", "cuda", "simulator"}));
  command.add_option("--device-index", words.device_index, "which of several GPUs (default 0); implies cuda")
      ->check(a_whole_number());
  command.add_option("--seed", words.run.settings.seed, "of the random inputs (default 42)")
      ->check(a_whole_number());
  command.add_option("--rtol", words.run.relative_tolerance, "relative tolerance (default: the lesson's)")
      ->check(a_number_from(0));
  command.add_option("--atol", words.run.absolute_tolerance, "absolute tolerance (default: the lesson's)")
      ->check(a_number_from(0));
  command
      .add_option("--time-budget", words.run.time_budget_s,
                  "seconds to measure each variant for (default 0.5)")
      ->check(a_number_from(1e-12));
  command.add_option("--format", words.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command.add_option("--output", words.output, "write the result to this file instead of stdout");
  command.add_option("--kernels", words.run.kernels,
                     "read the kernel files from this folder instead of the built-in ones");
  command.add_flag("--quiet", words.quiet, "nothing on stderr but errors");
}

std::string variants_text(const Lesson& lesson) {
  std::string text = "Variants:\n";
  for (const Variant& variant : lesson.variants)
    text += fmt::format("  {:24} {}\n", variant.name, variant.idea);
  return text + fmt::format("\nIn the course: episode {}, {}", lesson.place.episode, lesson.page);
}

unsigned parse_block_size(const std::string& text) {
  const std::uint64_t threads = parse_count("--block-size", text);
  if (threads > 1024)
    throw UsageError("--block-size " + text + " is more than 1024, the most threads a block can have");
  return static_cast<unsigned>(threads);
}

DeviceChoice choice_of(const LessonWords& words) {
  if (words.device == "cuda" || (words.device == "auto" && words.device_index)) return DeviceChoice::cuda;
  return words.device == "simulator" ? DeviceChoice::simulator : DeviceChoice::automatic;
}

bool stopped_early(const VariantResult& variant) {
  return variant.observed == Outcome::fails_to_compile || variant.observed == Outcome::fails_to_launch ||
         variant.observed == Outcome::faults;
}

// What should have run and did not is an error of its own, beside its row in the report. Several variants may
// share a file that does not compile.
void tell_failures(const LessonResult& result) {
  std::set<std::string> told;
  for (const VariantResult& variant : result.variants)
    if (!variant.as_stated() && stopped_early(variant) && told.insert(variant.explanation).second)
      fmt::print(stderr, "gpulab: {}, variant {}: {}\n{}", result.lesson, variant.name, variant.explanation,
                 variant.compiler_log);
}

ExitCode run(const Lesson& lesson, LessonWords& words, const std::vector<std::string>& typed) {
  words.run.settings.size = words.size ? parse_count("--size", *words.size) : lesson.default_size;
  if (words.block_size) words.run.block_size = parse_block_size(*words.block_size);
  check_options(lesson, words.run);
  Output output(words.output);

  Narrator narrator(words.quiet);
  words.run.progress = [&](const std::string& what) { narrator.progress(lesson.name + ": " + what); };
  words.run.remark = [&](const std::string& line) { narrator.remark(line); };
  CompileCache cache;
  const auto device = open_device(choice_of(words), static_cast<int>(words.device_index.value_or(0)), cache,
                                  words.run.remark);
  const RunFacts facts = run_facts(typed);
  const LessonResult result = run_lesson(lesson, words.run, *device);

  narrator.progress("done");
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  output.write(words.format == "json" ? lesson_json(result, facts) : lesson_text(result, style));
  tell_failures(result);
  return exit_code_of(result);
}

}  // namespace

void add_lessons(CLI::App& app, CommandContext& context) {
  for (Lesson& lesson : all_lessons()) {
    CLI::App* command = app.add_subcommand(lesson.name, lesson.title);
    for (const std::string& alias : lesson.aliases) command->alias(alias);
    command->footer(lesson.text + "\n\n" + variants_text(lesson));
    auto words = std::make_shared<LessonWords>();
    add_options(*command, lesson, *words);
    command->callback([&context, words, lesson = std::make_shared<Lesson>(std::move(lesson))] {
      context.action = [&context, words, lesson] { return run(*lesson, *words, context.words); };
    });
  }
}

}  // namespace gpulab
