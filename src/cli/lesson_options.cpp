#include "cli/lesson_options.hpp"

#include <fmt/format.h>
#include <cmath>
#include <cstdlib>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/output.hpp"
#include "base/text.hpp"
#include "check/settings.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/documents.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

void refuse_files_of_several_sizes(const LessonOptions& options,
                                   const std::map<std::string, ReportOutput>& artifacts) {
  std::string option = artifacts.empty() ? "" : artifacts.begin()->first;
  if (options.trace) option = "trace";
  if (!option.empty()) throw UsageError("--" + option + " writes what one size shows; give --size one value");
}

}  // namespace

LessonFiles::LessonFiles(const Lesson& lesson, const Settings& settings, const LessonOptions& options,
                         bool has_several_sizes)
    : options_(options), trace_(options.trace) {
  std::map<std::filesystem::path, std::string> options_by_file;
  for (const Option& option : lesson.options)
    if (std::holds_alternative<InputFile>(option.kind))
      if (const auto file = settings.file(option.name))
        options_by_file.try_emplace(target_of(absolute(*file)), option.name);
  const auto claim = [&](const std::string& option, const std::filesystem::path& file) {
    const auto [other, is_new] = options_by_file.try_emplace(target_of(absolute(file)), option);
    if (!is_new)
      throw UsageError(
          fmt::format("--{} and --{} name the same file, {}", other->second, option, file.string()));
  };
  if (options.output) claim("output", *options.output);
  if (options.trace) claim("trace", *options.trace);
  for (const Option& option : lesson.options) {
    if (!std::holds_alternative<OutputFile>(option.kind)) continue;
    const auto file = settings.file(option.name);
    if (!file) continue;
    claim(option.name, *file);
    named_.try_emplace(option.name, *file);
    artifacts_.try_emplace(option.name, file);
  }
  if (has_several_sizes) refuse_files_of_several_sizes(options, artifacts_);
}

void LessonFiles::write(const LessonResult& result, Narrator& narrator) {
  for (const Artifact& artifact : result.artifacts) {
    artifacts_.at(artifact.option).write(artifact.content);
    mention(named_.at(artifact.option), narrator);
  }
  if (!options_.trace) return;
  trace_.write(run::trace_json(result));
  mention(*options_.trace, narrator);
}

void mention(const std::filesystem::path& written, Narrator& narrator) {
  if (is_file(written)) narrator.remark("wrote " + written.string());
}

namespace {

struct HelpText {
  const Option& option;

  std::string operator()(const auto&) const { return option.help; }
  std::string operator()(const Count& count) const {
    if (count.default_value < count.min) return option.help;  // its text names the default
    return fmt::format("{} (default {})", option.help, count.default_value);
  }
  std::string operator()(const Number& number) const {
    return fmt::format("{} (default {:g})", option.help, number.default_value);
  }
};

struct TypeName {
  std::string operator()(const Choice& choice) const {
    return fmt::format("{}", fmt::join(choice.words, "|"));
  }
  std::string operator()(const Count&) const { return "N"; }
  std::string operator()(const Number&) const { return "X"; }
  std::string operator()(const auto&) const { return "FILE"; }
};

// Parser of what was typed, by the kind of option.
struct Parse {
  std::string name;  // "--width"
  const std::string& text;

  OptionValue operator()(const Choice& choice) const {
    if (!contains(choice.words, text))
      throw UsageError(fmt::format("{}: '{}' is not one of {}", name, text, fmt::join(choice.words, ", ")));
    return text;
  }
  OptionValue operator()(const Count& range) const {
    const std::uint64_t count = parse_count(name, text);
    if (count < range.min) refuse("too small; it must be at least " + grouped(range.min));
    if (count > range.max) refuse("too large; it must be at most " + grouped(range.max));
    return count;
  }
  OptionValue operator()(const Number& range) const {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(number))
      throw UsageError(fmt::format("{}: '{}' is not a number", name, text));
    if (number < range.min) refuse(fmt::format("too small; it must be at least {:g}", range.min));
    if (number > range.max) refuse(fmt::format("too large; it must be at most {:g}", range.max));
    return number;
  }
  OptionValue operator()(const InputFile&) const { return text; }
  OptionValue operator()(const OutputFile& kind) const {
    const bool has_ending = text.starts_with("/dev/") || text.ends_with(kind.ending);
    if (!has_ending)
      throw UsageError(fmt::format("{0} writes a {1} file, so its name must end with {1}, not like {2}", name,
                                   kind.ending, text));
    return text;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(fmt::format("{} {} is {}", name, text, why));
  }
};

}  // namespace

void add_own_option(CLI::App& command, const Option& option, LessonOptions& options) {
  const auto keep = [&options, name = option.name](const std::string& text) { options.own[name] = text; };
  CLI::Option* added = command.add_option_function<std::string>("--" + option.name, keep,
                                                                std::visit(HelpText{option}, option.kind));
  added->type_name(std::visit(TypeName{}, option.kind));
}

void add_options_of_lessons(CLI::App& command, std::map<std::string, std::string>& own) {
  std::set<std::string> names;
  for (const Lesson* lesson : known_lessons())
    for (const Option& option : lesson->options)
      if (!std::holds_alternative<OutputFile>(option.kind)) names.insert(option.name);
  for (const std::string& name : names)
    command
        .add_option_function<std::string>(
            "--" + name, [&own, name](const std::string& text) { own[name] = text; }, "")
        ->group(hidden_group);  // the help of each lesson lists its own
}

std::map<std::string, OptionValue> own_option_values(const Lesson& lesson,
                                                     const std::map<std::string, std::string>& typed) {
  std::map<std::string, OptionValue> values;
  for (const Option& option : lesson.options) {
    const auto found = typed.find(option.name);
    values[option.name] = found == typed.end()
                              ? default_value(option)
                              : std::visit(Parse{"--" + option.name, found->second}, option.kind);
  }
  return values;
}

void add_gpu_option(CLI::App& command, std::string& gpu) {
  add_value(command, "--gpu", gpu, "GPU",
            fmt::format("predict times on this GPU: {}, or a JSON file (default {})",
                        fmt::join(estimate::gpu_names(), ", "), gpu));
}

namespace {

void add_lesson_device_options(CLI::App& command, LessonOptions& options) {
  command.option_defaults()->group("Device");
  add_device_options(command, options.device, /*has_hip=*/true);
  add_warp_size_option(command, options.device.warp_size);
  add_gpu_option(command, options.gpu);
  add_value(command, "--arch", options.architectures, "ARCH",
            "show the registers, memory and spills of each kernel on these GPUs, here or not: sm_90,gfx90a");
}

void add_check_options(CLI::App& command, LessonOptions& options) {
  command.option_defaults()->group("Checks and measurements");
  add_value(command, "--rtol", options.run.relative_tolerance, "X",
            "relative tolerance (default: the lesson's)")
      ->check(a_number_from_zero());
  add_value(command, "--atol", options.run.absolute_tolerance, "X",
            "absolute tolerance (default: the lesson's)")
      ->check(a_number_from_zero());
  add_value(command, "--time-budget", options.run.time_budget_s, "S",
            "seconds to measure each variant for (default 0.5)")
      ->check(seconds_above_zero());
  command.add_flag("--strict-claims", options.strict_claims, "end with code 5 if a claim does not hold");
}

void add_output(CLI::App& command, const Lesson& lesson, LessonOptions& options) {
  command.option_defaults()->group("Output");
  add_value(command, "--format", options.format, "text|json|csv", "how the result is written")
      ->check(one_of({"text", "json", "csv"}));
  add_value(
      command, "-o,--output", options.output, "FILE",
      "write the result to this file, and text to stdout; without --format a name that ends with .json or .csv says how");
  if (lesson.shows.timeline)
    add_value(command, "--trace", options.trace, "FILE", "write the timelines to this file, for Perfetto");
  command.add_flag("--quiet", options.quiet, "nothing on stderr but errors; with --output no text on stdout");
  command.add_flag("--verbose", options.verbose, "without a GPU, show how long each simulation took, too");
}

}  // namespace

void add_run_options(CLI::App& command, const Lesson& lesson, LessonOptions& options) {
  command.option_defaults()->group("What runs");
  if (lesson.has_size())
    add_value(command, "--size", options.size, "N",
              fmt::format("elements: 33554432, 2^25, 32Mi (default {})", lesson.default_size));
  for (const Option& option : lesson.options) add_own_option(command, option, options);
  may_be_repeated(
      add_value(command, "--variant", options.run.variants, "VARIANT", "only these: one, or several as a,b"))
      ->delimiter(',');
  add_value(command, "--block-size", options.block_size, "N", "threads in a block (default: the variant's)");
  add_whole_number(command, "--seed", options.run.settings.seed, "seed of the random inputs (default 42)");
  add_value(command, "--kernels", options.run.kernels, "DIR", "use the kernel files in this folder");
}

void add_lesson_options(CLI::App& command, const Lesson& lesson, LessonOptions& options) {
  add_run_options(command, lesson, options);
  command.add_flag("--watch", options.watch, "run again at every save of a kernel file in --kernels DIR");
  if (CLI::Option* size = command.get_option_no_throw("--size"))
    size->description(size->get_description() + "; several: 1000,2^20..2^24:x4");
  add_lesson_device_options(command, options);
  add_check_options(command, options);
  add_output(command, lesson, options);
}

namespace {

run::RunOptions run_options_at(std::size_t size, const Lesson& lesson, const LessonOptions& options) {
  run::RunOptions result = options.run;
  result.settings.size = size;
  result.settings.options = own_option_values(lesson, options.own);
  if (options.block_size) result.block_size = parse_block_size(*options.block_size);
  if (options.architectures) result.architectures = split_at_commas(*options.architectures);
  result.warp_size = WarpSize(options.device.warp_size);
  if (result.warp_size.lanes() == 32)
    result.gpu = estimate::gpu_of(options.gpu);  // data/gpus has no GPU with 64
  run::check_options(lesson, result);
  return result;
}

}  // namespace

run::RunOptions run_options(const Lesson& lesson, const LessonOptions& options) {
  return run_options_at(options.size ? parse_count("--size", *options.size) : lesson.default_size, lesson,
                        options);
}

std::vector<run::RunOptions> run_options_of_sizes(const Lesson& lesson, const LessonOptions& options) {
  if (!options.size) return {run_options(lesson, options)};
  std::vector<run::RunOptions> runs;
  for (const std::uint64_t size : parse_counts("--size", *options.size))
    runs.push_back(run_options_at(size, lesson, options));
  return runs;
}

std::string sizes_of(const Lesson& lesson) {
  std::vector<std::string> counts;
  for (const Option& option : lesson.options)
    if (std::holds_alternative<Count>(option.kind)) counts.push_back("--" + option.name);
  return counts.empty() ? "" : fmt::format("its sizes are {}", fmt::join(counts, ", "));
}

namespace {

void require_option(const Lesson& lesson, const std::string& name) {
  if (contains(lesson.options, name, &Option::name)) return;
  const std::string sizes = name == "size" ? sizes_of(lesson) : "";
  throw UsageError(
      fmt::format("{} has no option '--{}'; {}", lesson.name, name,
                  sizes.empty() ? fmt::format("gpulab {} --help lists what it has", lesson.name) : sizes));
}

// Returns whether settings are given. With a seed alone, or a block size alone, a check still draws them.
bool asks_for_settings(const TrialOptions& options) {
  return options.size || options.inputs || !options.own.empty() || (options.seed && options.block_size);
}

Settings settings_of(const Lesson& lesson, const TrialOptions& options, Settings settings) {
  if (options.size && !lesson.has_size()) require_option(lesson, "size");
  if (options.size) settings.size = parse_count("--size", *options.size);
  if (options.seed) settings.seed = *options.seed;
  settings.edge_inputs = options.inputs == "edge";
  const auto values = own_option_values(lesson, options.own);
  for (const auto& [name, text] : options.own) {
    require_option(lesson, name);
    settings.options[name] = values.at(name);
  }
  return settings;
}

}  // namespace

void add_trial_options(CLI::App& command, TrialOptions& options) {
  add_value(command, "--size", options.size, "N", "check only this size");
  add_value(command, "--block-size", options.block_size, "N", "threads in a block (default: the lesson's)");
  add_whole_number(command, "--seed", options.seed,
                   "draw sizes and inputs from this seed (default: the file's)");
  add_value(command, "--inputs", options.inputs, "usual|edge",
            "what arrays hold; with edge also zeros, the smallest and the largest numbers")
      ->check(one_of({"usual", "edge"}));
  add_options_of_lessons(command, options.own);
  command.footer(
      "The options of the lesson work here, too, such as --filter; gpulab LESSON --help lists them.");
}

check::Trial trial_of(const Exercise& exercise, const TrialOptions& options) {
  const Lesson lesson = find_lesson(exercise.lesson);
  const Variant& solution = run::find_variant(lesson, lesson.solution);
  check::Trial trial;
  if (options.block_size) trial.block_size = parse_block_size(*options.block_size);
  const Settings first =
      check::check_settings(lesson, trial.block_size.value_or(solution.block.threads)).front();
  const Settings settings = settings_of(lesson, options, first);
  run::check_options(lesson,
                     {.settings = settings, .block_size = trial.block_size, .variants = {solution.name}});
  if (asks_for_settings(options))
    trial.settings = settings;
  else
    trial.seed = options.seed;
  return trial;
}

}  // namespace gpulab::cli
