#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/test_report.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "bench/page/page.hpp"
#include "cli/bench_run.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/refused_words.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* two_sides = "gpulab report BASE NEW, or gpulab report BASE... -- NEW...";

struct ReportOptions {
  std::vector<fs::path> files;
  std::vector<std::string> lessons;
  ComparisonOptions rules;
  bool all = false, crossover = false, plot = false, quiet = false;
  std::string format;
  std::optional<fs::path> output;

  bench::Shown shown() const { return all ? bench::Shown::all : bench::Shown::changes; }
};

// Documents before and after --. Without it, `now` is empty.
struct Sides {
  std::vector<fs::path> before, now;
};

// Splits the files at the typed --. Throws UsageError if a side is empty, or an option or -- follows.
Sides sides_of(const std::vector<fs::path>& files, const std::vector<std::string>& typed) {
  const auto mark = std::ranges::find(typed, "--");
  if (mark == typed.end() && files.size() == 2) return {.before = {files[0]}, .now = {files[1]}};
  if (mark == typed.end()) return {.before = files, .now = {}};
  for (auto word = mark + 1; word != typed.end(); ++word) {
    if (word->empty()) refuse_empty_word(typed, static_cast<std::size_t>(word - typed.begin()));
    if (*word == "--")
      throw UsageError(fmt::format("-- may stand only once, between the two sides: {}", two_sides));
    if (word->starts_with('-') && *word != "-")
      throw UsageError(fmt::format("options such as {} must stand before --: {}", *word, two_sides));
  }
  const auto split = files.end() - (typed.end() - mark - 1);
  Sides sides{.before = {files.begin(), split}, .now = {split, files.end()}};
  if (sides.before.empty() || sides.now.empty())
    throw UsageError(fmt::format("there must be a file on each side of --: {}", two_sides));
  return sides;
}

using Results = std::vector<bench::BenchResult>;

// Format of the report: how it writes documents, and how a comparison; null where it has no writer for them.
struct ReportFormat {
  std::string_view name;
  const char* ending;  // ending of an output file that selects this format
  std::string (*documents)(const Results& results) = nullptr;
  std::string (*comparison)(const bench::Comparison& comparison, bench::Shown shown) = nullptr;
  std::string (*error)(const std::string& sentence) = nullptr;  // why there is no report
};

// Adapts a writer that always shows the whole comparison.
template <std::string (*write)(const bench::Comparison&)>
std::string whole(const bench::Comparison& comparison, bench::Shown) {
  return write(comparison);
}

std::string error_junit(const std::string& sentence) {
  return junit_text({.name = "gpulab report",
                     .cases = {{.group = "gpulab.report",
                                .name = "report",
                                .result = TestCase::Result::broken,
                                .type = "not-compared",
                                .message = sentence,
                                .text = sentence}}});
}

std::string error_github(const std::string& sentence) {
  return github_line({.title = "gpulab report", .message = sentence});
}

// html shows documents and comparison in one page. json writes a comparison with the facts of this run.
constexpr ReportFormat formats[] = {
    {"html", ".html"},
    {"csv", ".csv", bench::bench_csv},
    {"md", ".md", bench::bench_markdown, bench::comparison_markdown},
    {"junit", ".xml", bench::bench_junit, whole<bench::comparison_junit>, error_junit},
    {"github", "", nullptr, whole<bench::comparison_github>, error_github},
    {"json", ".json", [](const Results& of_one) { return bench::bench_json(of_one.front()); }},
    {"bmf", "", bench::bench_bmf},
    {"gha", "", bench::bench_gha},
    {"gbench", "", bench::bench_gbench}};

std::vector<std::string> format_names() {
  std::vector<std::string> names{"text"};
  for (const ReportFormat& format : formats) names.emplace_back(format.name);
  return names;
}

// Returns the format of --format, or else of the output's ending; null for text.
const ReportFormat* chosen_format(const ReportOptions& options) {
  std::vector<std::pair<std::string, std::string>> endings;
  for (const ReportFormat& format : formats)
    endings.emplace_back(*format.ending ? format.ending : "." + std::string(format.name), format.name);
  const std::string name = format_of_output(options.format, options.output, endings);
  const auto chosen = std::ranges::find(formats, name, &ReportFormat::name);
  return chosen == std::end(formats) ? nullptr : chosen;
}

// Keeps only what is about these lessons.
void choose_lessons(const std::set<std::string>& chosen, bench::BenchResult& result) {
  const auto is_other = [&](const std::string& lesson) { return !chosen.contains(lesson); };
  std::erase_if(result.rows, [&](const bench::BenchRow& row) { return is_other(row.what.lesson); });
  std::erase_if(result.claims, [&](const bench::BenchClaim& claim) { return is_other(claim.lesson); });
  for (const auto& [lesson, remarks] : result.lesson_remarks)
    if (is_other(lesson))
      std::erase_if(result.remarks, [&](const std::string& remark) { return contains(remarks, remark); });
  std::erase_if(result.lesson_remarks, [&](const auto& of_lesson) { return is_other(of_lesson.first); });
}

std::vector<std::string> names_of(const std::vector<fs::path>& files, const std::string& prefix = "") {
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(prefix + file.string());
  return names;
}

// Reads the files of a side, with the rows of --lesson in teaching order. Throws UsageError for a lesson of
// which no file has a row.
Results read_results(const std::vector<fs::path>& files, const ReportOptions& options) {
  Results results = read_bench_documents(files);
  std::set<std::string> chosen, absent;
  for (const std::string& name : options.lessons) chosen.insert(find_lesson(name).name);
  absent = chosen;
  for (bench::BenchResult& result : results) {
    for (const bench::BenchRow& row : result.rows) absent.erase(row.what.lesson);
    if (!chosen.empty()) choose_lessons(chosen, result);
    sort_in_course_order(result.rows);
  }
  if (!absent.empty())
    throw UsageError(fmt::format("{} {} no rows of {}", fmt::join(names_of(files), ", "),
                                 files.size() == 1 ? "has" : "have", fmt::join(absent, ", ")));
  return results;
}

// Returns the code with which bench ends for these rows, if it is not interrupted.
ExitCode exit_code_of(const Results& results) {
  ExitCode code = ExitCode::ok;
  for (const bench::BenchResult& result : results) code = more_severe(code, bench::exit_code_of(result));
  return code;
}

// Compares the two sides. Nothing in a document that is on both can differ from itself.
bench::Comparison compared(const Results& before, const Results& now, const Sides& sides,
                           const bench::ComparisonRules& rules) {
  bench::Comparison comparison = bench::compared(before, now, rules);
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t j = 0; j < now.size(); ++j)
      if (is_copy(before[i], now[j]))
        comparison.doubt(fmt::format("{} and {} are the same document: it is compared with itself",
                                     sides.before[i].string(), sides.now[j].string()));
  return comparison;
}

// Says on stderr what these documents lack and, if their report is in a file, which results are wrong.
void tell_what_failed(const std::vector<fs::path>& files, const Results& results, bool is_text,
                      const ReportOptions& options) {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].rows.empty())
      tell("gpulab: " + files[i].string() + " has no rows\n");
    else if (!is_text && !results[i].complete())  // the text says it
      tell(fmt::format("gpulab: {} is not complete: {}\n", files[i].string(),
                       bench::rows_measured(results[i])));
  if (!options.output || options.quiet) return;
  for (const bench::BenchResult& result : results) tell(wrong_results_text(result));
}

// Writes one page of all documents. It also shows documents that cannot be compared, such as those of two
// GPUs, and then throws as the text's comparison does. Returns the exit code of the comparison or, without
// one, of the documents.
ExitCode write_page(const Sides& sides, const ReportOptions& options, const bench::ComparisonRules& rules,
                    ReportOutput& output) {
  bench::page::BenchReport report{.results = read_results(sides.before, options)};
  report.files = names_of(sides.before);
  std::optional<UsageError> not_compared;
  if (!sides.now.empty()) {
    const Results now = read_results(sides.now, options);
    append(report.files, names_of(sides.now));
    report.before_count = report.results.size();
    try {
      report.comparison = compared(report.results, now, sides, rules);
    } catch (const UsageError& error) {
      report.not_compared = error.what();
      not_compared = error;
    }
    report.results.insert(report.results.end(), now.begin(), now.end());
  }
  output.write(bench::page::bench_html(report));
  if (not_compared) throw *not_compared;
  if (!report.comparison)
    tell_what_failed(sides.before, report.results, /*is_text=*/false, options);
  else if (output.is_file() && !options.quiet)
    tell(bench::comparison_end(*report.comparison) + "\n");
  return report.comparison ? bench::exit_code_of(*report.comparison) : exit_code_of(report.results);
}

// Returns the plots of the documents, each below its name and with an empty line after it. The counts drawn
// are those that changed most.
std::string plots_of(const Results& results, const std::vector<std::string>& names,
                     const bench::Comparison& comparison, const TextStyle& style) {
  const std::map<std::string, std::string> counts = bench::most_changed_counts(comparison);
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i)
    text += paragraph(names[i], Ink::bold, style) + bench::bench_plot(results[i], style, counts) + "\n";
  return text;
}

ExitCode write_comparison(const Sides& sides, const ReportFormat* format, const ReportOptions& options,
                          const bench::ComparisonRules& rules, const std::vector<std::string>& typed,
                          ReportOutput& output) {
  const Results before = read_results(sides.before, options), now = read_results(sides.now, options);
  bench::Comparison comparison = compared(before, now, sides, rules);
  if (!options.quiet && (!format || format->name == "md")) bench::remark_uncounted(comparison);
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  const std::string plots = options.plot
                                ? plots_of(before, names_of(sides.before, "before: "), comparison, style) +
                                      plots_of(now, names_of(sides.now, "now: "), comparison, style)
                                : "";
  if (!format)
    output.show(plots + bench::comparison_text(comparison, options.shown(), style));
  else if (format->comparison)
    output.write(format->comparison(comparison, options.shown()));
  else
    output.write(bench::comparison_json(comparison, run::run_facts(typed)));
  if (output.is_file() && !options.quiet) tell(bench::comparison_end(comparison) + "\n");
  return bench::exit_code_of(comparison);
}

ExitCode write_documents(const std::vector<fs::path>& files, const ReportFormat* format,
                         const ReportOptions& options, ReportOutput& output) {
  const Results results = read_results(files, options);
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  tell_what_failed(files, results, /*is_text=*/!format, options);
  if (format)
    output.write(format->documents(results));
  else if (options.plot)
    output.show(bench::bench_plot(results.front(), style));
  else
    output.show(bench::bench_text(results, names_of(files), style));
  return exit_code_of(results);
}

ExitCode write_crossovers(const ReportOptions& options, const ReportFormat* format, ReportOutput& output) {
  const bool is_json = format && format->name == "json";
  if (format && !is_json) throw UsageError("--crossover is written as text or as json");
  const Results results = read_results(options.files, options);
  show_crossovers(results.front(), options.files.front().string(),
                  {.is_json = is_json, .with_plot = options.plot}, output);
  return exit_code_of(results);
}

ExitCode write_report(const ReportOptions& options, const ReportFormat* format,
                      const std::vector<std::string>& typed, ReportOutput& output) {
  const Sides sides = sides_of(options.files, typed);
  if (format && options.plot) throw UsageError("--plot draws text; leave out --plot or --format");
  const bench::ComparisonRules rules = rules_of(options.rules);
  if (options.crossover && options.files.size() != 1)
    throw UsageError("--crossover reads one document: gpulab report --crossover FILE");
  if ((options.rules.is_any() || options.all) && sides.now.empty())
    throw UsageError(fmt::format(
        "--threshold, --min-difference, --allow, --strict and --all apply to a comparison, which needs two sides: {}",
        two_sides));
  if (format && format->name == "json" && options.output && options.output->extension() == ".json")
    output.require_document(options.crossover   ? "gpulab.crossover"
                            : sides.now.empty() ? "gpulab.bench"
                                                : "gpulab.compare");
  if (options.crossover) return write_crossovers(options, format, output);
  const bool can_compare = !format || !format->documents || format->comparison || format->name == "json";
  if (can_compare && sides.now.empty() && options.files.size() > 1)
    throw UsageError(
        fmt::format("with more than two files, -- must stand between the two sides: {}", two_sides));
  if (format && format->name == "html") return write_page(sides, options, rules, output);
  if (!sides.now.empty() && can_compare)
    return write_comparison(sides, format, options, rules, typed, output);
  if (!sides.now.empty() && format)
    throw UsageError(fmt::format("--format {} writes documents, not a comparison: name the files of one side",
                                 format->name));
  if (format && !format->documents)
    throw UsageError(
        fmt::format("--format {} writes a comparison, which needs two sides: {}", format->name, two_sides));
  return write_documents(options.files, format, options, output);
}

// Writes the report. If there is none, a service that reads its format gets the reason in that format.
ExitCode run(const ReportOptions& options, const std::vector<std::string>& typed) {
  const ReportFormat* const format = chosen_format(options);
  for (const fs::path& file : options.files)
    if (options.output && target_of(file) == target_of(*options.output))
      throw UsageError("--output would replace a file that the report reads: " + file.string());
  ReportOutput output(options.output);
  try {
    return write_report(options, format, typed, output);
  } catch (const Error& error) {
    if (format && format->error) output.write(format->error(error.what()));
    throw;
  }
}

}  // namespace

void add_report(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("report", "show what bench measured, and what got slower");
  auto options = std::make_shared<ReportOptions>();
  add_value(*command, "FILE", options->files, "FILE",
            "a document of gpulab bench; two, BASE NEW, or BASE... -- NEW..., are compared")
      ->required();
  may_be_repeated(add_value(*command, "--lesson", options->lessons, "LESSON",
                            "only the rows of this one; may be repeated"));
  command->add_flag("--crossover", options->crossover,
                    "say from which size on a GPU is worth it, from a document of bench --one-thread");
  command->option_defaults()->group("Comparison");
  add_comparison_options(*command, options->rules);
  command->add_flag("--all", options->all, "also show what is the same, and what is not judged");
  command->option_defaults()->group("Output");
  add_value(*command, "--format", options->format, fmt::format("{}", fmt::join(format_names(), "|")),
            "how it is written; without it, the ending of --output decides")
      ->check(one_of(format_names()));
  add_value(*command, "-o,--output", options->output, "FILE", "write the report here, not to stdout");
  command->add_flag("--plot", options->plot, "draw the figures over size with characters");
  command->add_flag("--quiet", options->quiet, "nothing on stderr but errors");
  command->footer(
      "Several files on one side of -- count as more processes. A time has regressed when its median over processes grew by the threshold, the ranges over processes are apart, and the clocks are alike. Counts of the simulator are compared exactly. "
      "Exit code 0 means that nothing regressed, 5 that something did, 1 that a result is wrong, 3 that a kernel does not compile, 2 that nothing can be compared. With --strict, what cannot be judged ends with 5, too. For one document it is that of bench for the same rows.\n"
      "The web page needs no other file and no network. It has time and throughput over size, the variants at the largest size, a run with its copies, a roofline, and the documents themselves.");
  set_action(*command, context, [&context, options] { return run(*options, context.words); });
}

}  // namespace gpulab::cli
