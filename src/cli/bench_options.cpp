#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "bench/compare.hpp"
#include "cli/bench_run.hpp"
#include "cli/lesson_options.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"
#include "source/cuda_text.hpp"
#include "source/source_parts.hpp"

namespace gpulab::cli {
namespace {

std::vector<std::string> without_repeats(const std::vector<std::string>& words) {
  std::vector<std::string> once;
  for (const std::string& word : words) add_once(once, word);
  return once;
}

// Splits the text of an option into its values, which are measured one after another.
std::vector<std::string> values_typed(const Option& option, const std::string& text) {
  if (std::holds_alternative<InputFile>(option.kind)) return {text};
  if (!std::holds_alternative<Count>(option.kind)) return without_repeats(split_at_commas(text));
  std::vector<std::string> counts;
  for (const std::uint64_t count : parse_counts("--" + option.name, text))
    counts.push_back(std::to_string(count));
  return counts;
}

using OptionTexts = std::map<std::string, std::string>;  // as typed, by the option's name

// Returns every combination of the values that the options list.
std::vector<OptionTexts> combinations(const Lesson& lesson, const OptionTexts& lists) {
  std::vector<OptionTexts> all{{}};
  for (const Option& option : lesson.options) {
    const auto list = lists.find(option.name);
    if (list == lists.end()) continue;
    std::vector<OptionTexts> longer;
    for (const OptionTexts& so_far : all)
      for (const std::string& value : values_typed(option, list->second)) {
        longer.push_back(so_far);
        longer.back()[option.name] = value;
      }
    all = std::move(longer);
  }
  return all;
}

// Refuses --size beside an option that it would set, such as --m.
void refuse_sides_beside_size(const Lesson& lesson, const OptionTexts& typed) {
  if (lesson.has_size()) return;
  for (const std::string& side : lesson.sides)
    if (typed.contains(side))
      throw UsageError(fmt::format("--size sets --{} of {}; leave out --size or --{}",
                                   fmt::join(lesson.sides, ", --"), lesson.name, side));
}

std::vector<Settings> all_settings(const Lesson& lesson, const BenchOptions& options, bool simulated) {
  std::vector<Settings> all;
  for (const OptionTexts& typed : combinations(lesson, options.own)) {
    const Settings settings{
        .size = lesson.default_size, .seed = options.seed, .options = own_option_values(lesson, typed)};
    if (options.size) {
      refuse_sides_beside_size(lesson, typed);
      for (const std::uint64_t size : parse_counts("--size", *options.size)) {
        all.push_back(bench::settings_of_size(lesson, settings, size));
        run::check_options(lesson, {.settings = all.back()});
      }
      continue;
    }
    const auto smaller = simulated ? run::smaller_problem(lesson, settings, run::count_limit) : std::nullopt;
    all.push_back(smaller ? smaller->settings : settings);
  }
  return all;
}

bool has_file_of(const Lesson& lesson, const std::filesystem::path& folder) {
  return std::ranges::any_of(lesson.variants, [&](const Variant& variant) {
    std::error_code ignored;
    return std::filesystem::symlink_status(folder / lesson.file_of(variant), ignored).type() !=
           std::filesystem::file_type::not_found;
  });
}

// Adds to the request which kernels were taken out of files that hold several. The compiler says it if a file
// has none of its kernels, or if the name still occurs, such as behind a misspelt __global__.
void collect_absent_kernels(const Lesson& lesson, const run::KernelFiles& files, bench::Request& request) {
  const auto occurs = [&](const Variant& variant) {
    const source::Code code(files.of(variant).text);
    return std::ranges::find(code.tokens(), variant.kernel, &source::CodeToken::text) != code.tokens().end();
  };
  for (const Variant& variant : lesson.variants) {
    if (variant.kernel.empty() || !files.is_edited(variant) || occurs(variant)) continue;
    const auto is_left = [&](const Variant& other) {
      return !other.kernel.empty() && lesson.file_of(other) == lesson.file_of(variant) && occurs(other);
    };
    if (std::ranges::none_of(lesson.variants, is_left)) continue;
    const device::KernelSource& file = files.of(variant);
    std::vector<std::string> others = source::kernel_names(file.text);
    std::erase_if(others, [&](const std::string& name) {
      return std::ranges::find(lesson.variants, name, &Variant::kernel) != lesson.variants.end();
    });
    const std::string nearest = nearest_name(variant.kernel, others);
    request.absent_kernels[{lesson.file_of(variant), variant.kernel}] =
        fmt::format("{} has no kernel {}{}", printable(file.name), variant.kernel,
                    nearest.empty() ? "" : "; it has " + nearest + ": is that the one, misspelt?");
  }
}

// Adds to the request which kernels the lesson's files have beside the course's own.
void collect_added_kernels(const Lesson& lesson, const run::KernelFiles& files, bench::Request& request) {
  const run::KernelFiles built_in(lesson, {});
  for (const Variant& variant : lesson.variants) {
    if (!files.is_edited(variant)) continue;
    const device::KernelSource& file = files.of(variant);
    const source::Code code(file.text);
    const std::vector<std::string> known = source::kernel_names(built_in.of(variant).text);
    for (const std::string& name : source::kernel_names(code))
      if (!contains(known, name))
        add_once(request.added_kernels,
                 fmt::format("{}:{} has a kernel {}, which no lesson launches, so it is not measured",
                             printable(file.name), source::line_of_kernel(code, name), name));
  }
}

// Adds to the request which of the lesson's files and kernels the folder of --kernels lacks, and remarks
// about unknown files. Returns whether the folder has any file of the lesson. If it has none, and lessons
// were named, the request says so. Throws UsageError if a file of a named lesson cannot be read.
bool collect_kernel_files(const Lesson& lesson, const BenchOptions& options, bench::Request& request) {
  if (!options.kernels) return true;
  try {
    const run::KernelFiles files(lesson, options.kernels);
    request.absent_files.insert(files.missing().begin(), files.missing().end());
    request.unknown_kernels.insert(files.unknown_files().begin(), files.unknown_files().end());
    collect_absent_kernels(lesson, files, request);
    collect_added_kernels(lesson, files, request);
    return true;
  } catch (const UsageError& error) {
    if (!std::filesystem::is_directory(*options.kernels)) throw;
    if (has_file_of(lesson, *options.kernels)) throw;
    if (options.lessons.empty()) return false;
    request.absent_lessons[lesson.name] = fmt::format(
        "{}; if the lesson was removed, do not name it, such as in LESSONS of a job", error.what());
    return false;
  }
}

std::vector<Lesson> chosen_lessons(const BenchOptions& options) {
  if (options.lessons.empty()) return all_lessons();
  std::vector<Lesson> chosen;
  for (const std::string& name : options.lessons) {
    Lesson lesson = find_lesson(name);
    if (!contains(chosen, lesson.name, &Lesson::name)) chosen.push_back(std::move(lesson));
  }
  return chosen;
}

}  // namespace

std::map<std::string, std::string> edited_but_not_named(const BenchOptions& options) {
  std::map<std::string, std::string> hashes;
  if (!options.kernels || options.lessons.empty()) return hashes;
  const std::vector<Lesson> chosen = chosen_lessons(options);
  std::set<std::string> measured;  // files, some of which are of several lessons
  for (const Lesson& lesson : chosen)
    for (const Variant& variant : lesson.variants) measured.insert(lesson.file_of(variant));
  for (const Lesson& lesson : all_lessons()) {
    if (contains(chosen, lesson.name, &Lesson::name) || !has_file_of(lesson, *options.kernels)) continue;
    const run::KernelFiles files(lesson, options.kernels);
    if (std::ranges::any_of(lesson.variants, [&](const Variant& variant) {
          return files.is_edited(variant) && !measured.contains(lesson.file_of(variant));
        }))
      hashes.emplace(lesson.name, files.hash());
  }
  return hashes;
}

void add_bench_options(CLI::App& command, BenchOptions& options) {
  add_value(command, "lessons", options.lessons, "LESSON", "what to measure (default: every lesson)");
  command.option_defaults()->group("What is measured");
  add_value(command, "--size", options.size, "LIST",
            "elements: 2^20, 1000,5000 or 2^20..2^28:x4 (default: the lesson's)");
  may_be_repeated(
      add_value(command, "--variant", options.variants, "VARIANT", "only these: one, or several as a,b"))
      ->delimiter(',');
  add_value(command, "--block-size", options.block_size, "N", "threads in a block (default: the variant's)");
  add_whole_number(command, "--seed", options.seed, "seed of the random inputs (default 42)");
  add_value(command, "--kernels", options.kernels, "DIR", "use the kernel files in this folder");
  command.add_flag("--one-thread", options.one_thread,
                   "time the plain loop on one CPU thread, too; that takes long");
  add_device_options(command, options.device);
  add_whole_number(command, "--order-seed", options.order_seed, "seed of the measurement order (default 1)");
  add_options_of_lessons(command, options.own);
}

bench::Request request_of(const BenchOptions& options, bool simulated) {
  bench::Request request{.names_lessons = !options.lessons.empty(),
                         .variants = options.variants,
                         .one_thread = options.one_thread,
                         .order_seed = options.order_seed};
  if (options.block_size) request.block_size = parse_block_size(*options.block_size);
  const std::vector<Lesson> lessons = chosen_lessons(options);
  for (const auto& [name, text] : options.own)
    if (std::ranges::none_of(lessons, [&, &option = name](const Lesson& lesson) {
          return contains(lesson.options, option, &Option::name);
        }))
      throw UsageError(fmt::format("none of these lessons has an option '--{}'", name));
  for (const Lesson& lesson : lessons) {
    // If no lesson was named, --size leaves out lessons without a size. One that was named is refused later.
    const bool can_have_size = lesson.has_size() || !lesson.sides.empty();
    if (options.size && !can_have_size && options.lessons.empty()) continue;
    if (!collect_kernel_files(lesson, options, request)) continue;
    request.sweeps.push_back({lesson, all_settings(lesson, options, simulated)});
  }
  if (request.sweeps.empty() && options.kernels && request.absent_lessons.empty())
    throw UsageError("nothing was measured: --kernels " + options.kernels->string() +
                     " has no file of a lesson");
  return request;
}

std::vector<std::string> typed_words(const BenchOptions& options) {
  std::vector<std::string> typed{"bench"};
  typed.insert(typed.end(), options.lessons.begin(), options.lessons.end());
  const auto add = [&](const std::string& option, const std::string& value) {
    typed.push_back(option + "=" + value);
  };
  if (options.size) add("--size", *options.size);
  for (const std::string& variant : options.variants) add("--variant", variant);
  if (options.block_size) add("--block-size", *options.block_size);
  add("--seed", std::to_string(options.seed));
  add("--order-seed", std::to_string(options.order_seed));
  if (options.kernels) add("--kernels", options.kernels->string());
  add("--device", options.device.device);
  if (options.one_thread) typed.emplace_back("--one-thread");
  if (options.device.index) add("--device-index", std::to_string(*options.device.index));
  for (const auto& [name, text] : options.own) add("--" + name, text);
  return typed;
}

namespace {

struct Quantity {
  double number = 0;
  std::string unit;
};

// Splits "1.5 us" into 1.5 and "us"; returns none unless it is a number and a word.
std::optional<Quantity> quantity_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool begins_with_digit =  // from_chars also takes "-1", "inf" and "nan"
      !text.empty() && std::string_view("0123456789.").find(text.front()) != std::string_view::npos;
  if (error != std::errc{} || !begins_with_digit) return std::nullopt;
  source::Scanner scanner(std::string_view(end, text.data() + text.size()));
  scanner.take_while([](char letter) { return letter == ' '; });
  const std::string unit(
      scanner.take_while([](char letter) { return (letter >= 'a' && letter <= 'z') || letter == '%'; }));
  if (!scanner.is_at_end()) return std::nullopt;
  return Quantity{.number = number, .unit = unit};
}

double parse_threshold(const std::string& text) {
  const auto quantity = quantity_of(text);
  if (!quantity || (!quantity->unit.empty() && quantity->unit != "%"))
    throw UsageError("--threshold '" + text + "' is not a fraction; write it as 5% or 0.05");
  const bool is_percent = quantity->unit == "%";
  const double fraction = is_percent ? quantity->number / 100 : quantity->number;
  if (!is_percent && fraction >= 1)
    throw UsageError(fmt::format("--threshold {} would be {} times; write it as {}% or as a fraction below 1",
                                 text, text, text));
  if (fraction <= 0 || fraction > 10)
    throw UsageError("--threshold " + text +
                     " is not between 0 and 1000%, so it would find everything or nothing");
  return fraction;
}

double parse_duration(const std::string& option, const std::string& text) {
  static const std::map<std::string, double> units = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  const auto quantity = quantity_of(text);
  const auto unit = quantity ? units.find(quantity->unit) : units.end();
  if (unit == units.end())
    throw UsageError(fmt::format("{} '{}' is not a time; write it with its unit, such as 1us, 500ns or 0.5ms",
                                 option, text));
  return quantity->number * unit->second;
}

}  // namespace

void add_comparison_options(CLI::App& command, ComparisonOptions& options) {
  add_value(
      command, "--threshold", options.threshold, "FRACTION",
      "a time regresses when it grows by this fraction, such as 5% (default 3%); an energy when it grows by three times as much");
  add_value(command, "--min-difference", options.min_difference, "TIME",
            "times that differ by less are the same (default 500ns, steady 20ns)");
  may_be_repeated(add_value(
      command, "--allow", options.allowed, "FIGURE",
      "a figure that may grow, such as shared_load_wavefronts, or that of one lesson or variant, LESSON:FIGURE or LESSON/VARIANT:FIGURE; all of a variant: LESSON/VARIANT; missing rows: LESSON:missing; a base that was measured later: sides; may be repeated"));
  command.add_flag(
      "--strict", options.strict,
      "end with 5 also if something is missing, inconclusive or still wrong, a document is incomplete or on both sides, or two compilers counted");
}

bench::ComparisonRules rules_of(const ComparisonOptions& options) {
  bench::ComparisonRules rules;
  if (options.threshold) rules.threshold = parse_threshold(*options.threshold);
  if (options.min_difference)
    rules.min_difference_s = parse_duration("--min-difference", *options.min_difference);
  rules.is_strict = options.strict;
  rules.may_grow = options.allowed;
  return rules;
}

}  // namespace gpulab::cli
