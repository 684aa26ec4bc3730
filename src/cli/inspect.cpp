#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "bench/page/page.hpp"
#include "check/checks.hpp"
#include "check/files.hpp"
#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/lesson_options.hpp"
#include "cli/lesson_reports.hpp"
#include "cli/options.hpp"
#include "run/devices.hpp"
#include "run/documents.hpp"
#include "run/run_lesson.hpp"
#include "run/watched_run.hpp"
#include "source/code.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::cli {

InspectionReport report_of(const Inspection& inspection, std::string text) {
  const auto results = transformed(inspection.variants, &VariantInspection::result);
  return {exit_code_of(inspection), failures_text(inspection.lesson, results), std::move(text)};
}

Inspection inspect_on_simulator(const Lesson& lesson, run::RunOptions options) {
  Narrator narrator(/*quiet=*/false);
  options.progress = [&](const std::string& what) { narrator.progress(lesson.name + ": " + what); };
  options.remark = [&](const std::string& line) { narrator.remark(line); };
  const run::KernelFiles files(lesson, options.kernels);
  for (const std::string& file : files.missing())
    options.remark(run::missing_kernel_file(*options.kernels, file));
  for (const auto& [file, sentence] : files.unknown_files()) options.remark(sentence);
  device::CompileCache cache;
  const auto simulator = run::open_simulator(cache, options.warp_size);
  return run::inspect_lesson(lesson, options, files, *simulator);
}

ExitCode finish(const InspectionReport& report, bool is_json) {
  if (is_json)
    ReportOutput({}).write(report.text);
  else
    print(report.text);
  tell(report.failures);
  return report.exit_code;
}

namespace {

constexpr const char* inspect_footer =
    "The simulator counts every memory access, at a size that stays quick. Without --variant all variants of the lesson are shown, so that you can compare them. A file takes the place of the "
    "lesson's solution, and its name can stand alone: gpulab inspect shared_histogram.cu. gpulab inspect LESSON --help lists the options that the lesson adds.";

constexpr const char* estimate_footer =
    "The simulator runs a sample of the kernel's blocks and counts their accesses; NVRTC, if it is there, says how many registers and instructions it takes. These and the figures of the GPU give "
    "the times that its parts need: the longest is the limiter. docs/estimates.md says how far that can be trusted. Several GPUs, such as --gpu t4,h100, make one table. gpulab estimate LESSON --help lists the options that the lesson adds.";

struct InspectOptions {
  std::string lesson;
  std::string file;
  LessonOptions options;
  PictureOptions pictures;
  bool explains = false;
};

constexpr std::string_view flags[] = {"-h", "--help", "--picture", "--explain"};  // options without a value

// Returns the first word after "inspect" that is neither an option nor its value; empty if there is none. It
// names the lesson, whose options have to be known before the words are parsed.
std::string first_argument(const std::vector<std::string>& words) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return words[i];
    const bool is_flag = contains(flags, words[i]);
    if (words[i].find('=') == std::string::npos && !is_flag) ++i;  // over the option's value
  }
  return "";
}

[[noreturn]] void refuse_program(const std::string& command, const std::string& file) {
  throw UsageError(fmt::format(
      "{} takes kernels, and this is a whole program: gpulab run --inspect {} counts its accesses and estimates its launches",
      command, file));
}

// Refuses a file with a main() of its own.
void require_kernels(const std::string& command, const std::string& file) {
  if (!is_file(file)) return;
  const source::Code code(run::read_text_file(file, run::kernel_file));
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == "main" && code.text(i + 1) == "(") refuse_program(command, file);
}

// Returns the lesson that is named, by itself or by a learner's file. Throws UsageError if there is none.
Lesson named_lesson(const std::string& command, const std::string& word) {
  if (check::is_file_name(word)) require_kernels(command, word);
  return find_lesson(check::is_file_name(word) ? exercise_of_file(word).exercise.lesson : word);
}

// Adds the lesson's options, except those that name a file to write.
void add_options_without_outputs(CLI::App& command, Lesson lesson, LessonOptions& options) {
  std::erase_if(lesson.options,
                [](const Option& option) { return std::holds_alternative<OutputFile>(option.kind); });
  add_run_options(command, lesson, options);
}

// Returns a page with a part for each variant.
std::string page_of(const Inspection& inspection) {
  std::vector<bench::page::PicturePart> parts;
  for (const VariantInspection& variant : inspection.variants) {
    const VariantResult& result = variant.result;
    parts.push_back({.heading = fmt::format("{} · {}", result.name, variant.file),
                     .is_right = result.as_expected(),
                     .sentences = {result.explanation.empty() ? run::worst_access_words(variant.counts)
                                                              : result.explanation},
                     .variant = variant,
                     .is_costly = costliest_access(variant.counts).has_value()});
  }
  return bench::page::pictures_html(inspection.lesson, parts);
}

// Writes the page of pictures if it is wanted, and returns the report.
InspectionReport reported(const InspectOptions& request, const Inspection& inspection,
                          const TextStyle& style) {
  if (request.pictures.html) ReportOutput(request.pictures.html).write(page_of(inspection));
  return report_of(inspection, request.options.format == "json"
                                   ? run::inspection_json(inspection)
                                   : run::inspection_text(inspection, style, request.pictures.in_text));
}

InspectionReport inspect(const Lesson& lesson, const InspectOptions& request,
                         const std::optional<std::string>& file) {
  const run::RunOptions options = run_options(lesson, request.options);
  return reported(request,
                  file ? check::inspect_file(lesson, options, check::learner_file(*file))
                       : inspect_on_simulator(lesson, options),
                  style_of_stdout());
}

LessonResult estimated(const Lesson& lesson, run::RunOptions options,
                       const std::optional<device::KernelSource>& learner_kernels) {
  Narrator narrator(/*quiet=*/false);
  options.progress = [&](const std::string& what) { narrator.progress(lesson.name + ": " + what); };
  if (learner_kernels) return check::estimate_file(lesson, options, *learner_kernels);
  device::CompileCache cache;
  return run::predicted_lesson(lesson, options, nullptr, *run::open_simulator(cache));
}

// Estimates for several GPUs, in one table.
InspectionReport estimate_on_each(const std::vector<std::string>& gpus, const Lesson& lesson,
                                  const InspectOptions& request, const std::optional<std::string>& file) {
  if (request.options.format == "json" || request.explains)
    throw UsageError("a table of several GPUs is text, without --explain; name one GPU for --format json");
  std::vector<LessonResult> results;
  std::vector<std::string> names;
  std::optional<device::KernelSource> learner_kernels;
  if (file) learner_kernels = check::learner_file(*file);
  for (const std::string& gpu : gpus) names.push_back(estimate::gpu_of(gpu).short_name);
  for (const std::string& gpu : gpus) {
    LessonOptions options = request.options;
    options.gpu = gpu;
    results.push_back(estimated(lesson, run_options(lesson, options), learner_kernels));
  }
  return {exit_code_of(results.front()), failures_text(lesson.name, results.front().variants),
          run::estimates_text(results, names, style_of_stdout())};
}

InspectionReport estimate(const Lesson& lesson, const InspectOptions& request,
                          const std::optional<std::string>& file) {
  if (const std::vector<std::string> gpus = split_at_commas(request.options.gpu); gpus.size() > 1)
    return estimate_on_each(gpus, lesson, request, file);
  const run::RunOptions options = run_options(lesson, request.options);
  std::optional<device::KernelSource> learner_kernels;
  if (file) learner_kernels = check::learner_file(*file);
  LessonResult result = estimated(lesson, options, learner_kernels);
  check::add_measured_times(lesson, options, learner_kernels ? &*learner_kernels : nullptr, result);
  return {exit_code_of(result), failures_text(lesson.name, result.variants),
          request.options.format == "json"
              ? run::estimate_json(result)
              : run::estimate_text(result, *options.gpu, request.explains, style_of_stdout())};
}

// Finds the lesson, and the file if one is named, and calls `work`: inspect() or estimate().
ExitCode run(InspectOptions request, const std::string& command,
             InspectionReport (*work)(const Lesson&, const InspectOptions&,
                                      const std::optional<std::string>&)) {
  refuse_pictures_in(request.options.format, request.pictures);
  if (request.pictures.html) require_writable(*request.pictures.html);
  const bool names_a_variant = !request.file.empty() && !check::is_file_name(request.file);
  if (names_a_variant) request.options.run.variants.push_back(std::exchange(request.file, ""));
  const Lesson lesson = named_lesson(command, request.lesson);
  const bool lesson_is_a_file = check::is_file_name(request.lesson);
  const bool is_file_of_program = lesson_is_a_file && exercise_of_file(request.lesson).exercise.is_program();
  if (lesson.variants.front().is_program || is_file_of_program)
    refuse_program(command, lesson_is_a_file ? request.lesson : "FILE");
  if (lesson_is_a_file && !request.file.empty())
    throw UsageError(fmt::format("{} takes one file, or a lesson and a file, and got {} and {}", command,
                                 request.lesson, request.file));
  const std::string file = lesson_is_a_file ? request.lesson : request.file;
  const bool is_json = request.options.format == "json";
  if (file.empty()) return finish(work(lesson, request, std::nullopt), is_json);
  if (!request.options.run.variants.empty())
    throw UsageError(fmt::format("{} takes the place of {}, the solution of {}: leave --variant out", file,
                                 lesson.solution, lesson.name));
  if (lesson_is_a_file) require_file(exercise_of_file(file));
  require_kernels(command, file);
  return finish(work(lesson, request, file), is_json);
}

// Adds the arguments that inspect and estimate share.
std::shared_ptr<InspectOptions> add_arguments(CLI::App& command, const CommandContext& context) {
  auto request = std::make_shared<InspectOptions>();
  add_value(command, "lesson", request->lesson, "LESSON", "the lesson, or the file of an exercise")
      ->required();
  add_value(command, "file", request->file, "FILE",
            "your own kernel file, in place of the lesson's solution; or one of its variants");
  const bool is_this_command = context.words.size() > 1 && context.words[1] == command.get_name();
  if (const std::string word = is_this_command ? first_argument(context.words) : ""; !word.empty()) {
    // named_lesson() refuses a wrong name here: the parser would refuse the lesson's options first.
    add_options_without_outputs(command, named_lesson(command.get_name(), word), request->options);
  }
  return request;
}

}  // namespace

void add_inspect(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("inspect", "say what each line of a kernel asks of memory");
  command->footer(inspect_footer);
  const auto request = add_arguments(*command, context);
  command->option_defaults()->group("Device");
  add_warp_size_option(*command, request->options.device.warp_size);
  command->option_defaults()->group("Output");
  add_format_option(*command, request->options.format);
  add_picture_options(*command, request->pictures);
  set_action(*command, context, [request] { return run(*request, "inspect", inspect); });
}

void add_estimate(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("estimate", "predict a kernel's time on a GPU, without one");
  command->footer(estimate_footer);
  const auto request = add_arguments(*command, context);
  command->option_defaults()->group("Device");
  add_gpu_option(*command, request->options.gpu);
  command->option_defaults()->group("Output");
  command->add_flag("--explain", request->explains,
                    "say what each bound follows from, and where the GPU's figures are from");
  add_format_option(*command, request->options.format);
  set_action(*command, context, [request] { return run(*request, "estimate", estimate); });
}

namespace {

constexpr long double max_count = 9223372036854775807.0L;

// Returns the power of two that a suffix multiplies by; 0 for an unknown suffix.
int exponent_of_suffix(const std::string& suffix) {
  if (suffix == "Ki") return 10;
  if (suffix == "Mi") return 20;
  return suffix == "Gi" ? 30 : 0;
}

// Returns the value of "33554432", "2^25", "1e6" or "32Mi", even if it is too large to be used; none if the
// text is not a count.
std::optional<long double> value_of(const std::string& text) {
  source::Scanner scanner(text);
  // Unlike std::stold this takes any number of digits: too many become infinity.
  const auto number = [&]() -> std::optional<long double> {
    const std::string digits(scanner.take_digits());
    return digits.empty() ? std::nullopt : std::optional(std::strtold(digits.c_str(), nullptr));
  };
  const auto leading = number();
  if (!leading) return std::nullopt;
  const bool is_power = scanner.take("^"), is_scientific = !is_power && scanner.take_one_of("eE");
  if (is_power || is_scientific) {
    if (is_scientific) scanner.take("+");
    const auto exponent = number();
    if (!exponent || !scanner.is_at_end()) return std::nullopt;
    return is_power ? std::pow(*leading, *exponent) : *leading * std::pow(10.0L, *exponent);
  }
  const std::string suffix(scanner.rest());
  if (!suffix.empty() && exponent_of_suffix(suffix) == 0) return std::nullopt;
  return std::ldexp(*leading, exponent_of_suffix(suffix));
}

}  // namespace

std::uint64_t parse_count(const std::string& option, const std::string& text) {
  if (text.starts_with('-'))
    throw UsageError(fmt::format("{} {} is negative; it must be at least 1", option, text));
  const auto value = value_of(text);
  if (!value)
    throw UsageError(
        fmt::format("{} '{}' is not a count; write it as 33554432, 2^25, 32Mi or 1e6", option, text));
  if (*value < 1) throw UsageError(fmt::format("{} {} is too small; it must be at least 1", option, text));
  if (*value > max_count) throw UsageError(fmt::format("{} {} is larger than any memory", option, text));
  return static_cast<std::uint64_t>(*value);
}

namespace {

constexpr std::size_t max_counts = 1000;

// Values in the order in which they were first named, each once.
class DistinctCounts {
 public:
  explicit DistinctCounts(std::string option) : option_(std::move(option)) {}

  void add(std::uint64_t value) {
    if (contains(values_, value)) return;
    if (values_.size() == max_counts)
      throw UsageError(fmt::format("{} names more than {} values; take a larger step or factor", option_,
                                   grouped(max_counts)));
    values_.push_back(value);
  }
  std::vector<std::uint64_t> take() { return std::move(values_); }

 private:
  std::string option_;
  std::vector<std::uint64_t> values_;
};

// A range as it was typed: "2^20..2^28:x4".
struct TypedRange {
  std::string from, to;
  std::string kind;  // "x" if `step` is a factor, "+" if it is added
  std::string step;
};

std::optional<TypedRange> typed_range(const std::string& text) {
  const std::size_t dots = text.find("..", 1);
  if (dots == std::string::npos) return std::nullopt;
  const std::size_t colon = text.find(':', dots + 3);
  if (colon == std::string::npos || colon + 2 >= text.size()) return std::nullopt;
  const std::string kind = text.substr(colon + 1, 1);
  if (kind != "x" && kind != "+") return std::nullopt;
  return TypedRange{text.substr(0, dots), text.substr(dots + 2, colon - dots - 2), kind,
                    text.substr(colon + 2)};
}

void add_range(const std::string& option, const std::string& text, DistinctCounts& counts) {
  const auto typed = typed_range(text);
  if (!typed)
    throw UsageError(
        fmt::format("{} '{}' is not a range; write it as 2^20..2^28:x4 or 1000..5000:+1000", option, text));
  const std::uint64_t from = parse_count(option, typed->from), to = parse_count(option, typed->to);
  const bool multiplies = typed->kind == "x";
  const std::uint64_t step =
      parse_count((multiplies ? "the factor of " : "the step of ") + option, typed->step);
  if (from > to) throw UsageError(fmt::format("{} {} goes down; write the smaller end first", option, text));
  if (multiplies && step < 2)
    throw UsageError(fmt::format("the factor of {} {} is too small; it must be at least 2", option, text));
  // Compares before the next value is computed, because that may overflow.
  for (std::uint64_t value = from;; value = multiplies ? value * step : value + step) {
    counts.add(value);
    if (multiplies ? value > to / step : step > to - value) return;
  }
}

}  // namespace

std::vector<std::uint64_t> parse_counts(const std::string& option, const std::string& text) {
  DistinctCounts counts(option);
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    if (part.empty())
      throw UsageError(text.empty()
                           ? option + " needs a value"
                           : fmt::format("{} '{}' has a comma without a value beside it", option, text));
    part.find("..") != std::string::npos ? add_range(option, part, counts)
                                         : counts.add(parse_count(option, part));
    start = end + 1;
  }
  return counts.take();
}

}  // namespace gpulab::cli
