#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "base/output.hpp"
#include "base/terminal.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "bench/page/page.hpp"
#include "cli/bench_run.hpp"
#include "cli/command.hpp"
#include "cli/lesson_options.hpp"
#include "cli/options.hpp"

namespace gpulab::cli {
namespace {

using Files = std::vector<std::filesystem::path>;

constexpr const char* compare_form = "gpulab compare BASE NEW, or gpulab compare BASE... -- NEW...";

struct CompareOptions {
  Files files;
  ComparisonOptions rules;
  ComparisonReport report;
};

Sides both_sides(const Files& files, const std::vector<std::string>& typed) {
  Sides sides = sides_of(files, typed, compare_form);
  if (!sides.now.empty()) return sides;
  if (files.size() == 2) return {.before = {files[0]}, .now = {files[1]}};
  throw UsageError((files.size() > 2 ? "with more than two files, -- must stand between the two sides: "
                                     : "compare needs two sides: ") +
                   std::string(compare_form));
}

ExitCode run(const CompareOptions& options, const std::vector<std::string>& typed) {
  const bench::ComparisonRules rules = rules_of(options.rules);
  const Sides sides = both_sides(options.files, typed);
  const ReportOutput checked(options.report.output);
  const bench::Comparison comparison =
      bench::compared(read_bench_documents(sides.before), read_bench_documents(sides.now), rules);
  return options.report.write(comparison, typed);
}

}  // namespace

void add_compare(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("compare", "say what got slower between two runs of bench");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("files", options->files, "documents of gpulab bench: BASE NEW, or BASE... -- NEW...")
      ->type_name("FILE");
  add_comparison_options(*command, options->rules);
  add_comparison_report(*command, options->report);
  command->footer(
      "Several files on one side count as more processes. A time has regressed when its median over processes grew by the threshold, the ranges over processes are apart, and the clocks are alike. "
      "Counts of the simulator are compared exactly. Exit code 0 means that nothing regressed, 5 that something did, 1 that a result is wrong. With --strict, what cannot be judged ends with 5, too.");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run(*options, context.words); }; });
}

namespace {

namespace fs = std::filesystem;

constexpr const char* report_form = "gpulab report FILE..., or gpulab report BASE... -- NEW...";

struct ReportOptions {
  std::vector<fs::path> files;
  std::string format;
  std::optional<fs::path> output;
  bool plot = false;
};

struct ReportFormat {
  const char* name;
  const char* ending;  // ending of an output file that selects this format
  std::string (*write)(const bench::page::BenchReport&);
};

template <std::string (*write)(const std::vector<bench::BenchResult>&)>
std::string of_results(const bench::page::BenchReport& report) {
  return write(report.results);
}

// No format has the ending .json, since several are JSON.
constexpr ReportFormat report_formats[] = {
    {"html", ".html", bench::page::bench_html},       {"csv", ".csv", of_results<bench::bench_csv>},
    {"md", ".md", of_results<bench::bench_markdown>}, {"junit", ".xml", of_results<bench::bench_junit>},
    {"bmf", "", of_results<bench::bench_bmf>},        {"gha", "", of_results<bench::bench_gha>},
    {"gbench", "", of_results<bench::bench_gbench>}};

std::vector<std::string> format_names() {
  std::vector<std::string> names{"text"};
  for (const ReportFormat& format : report_formats) names.emplace_back(format.name);
  return names;
}

// Returns the format of --format, or else of the output's ending; null for text.
const ReportFormat* chosen_format(const ReportOptions& options) {
  for (const ReportFormat& format : report_formats) {
    if (options.format == format.name) return &format;
    const bool has_ending = options.output && *format.ending && options.output->extension() == format.ending;
    if (options.format.empty() && has_ending) return &format;
  }
  return nullptr;
}

// Compares the documents before with the others. Documents that cannot be compared, such as those of two
// GPUs, are still shown.
void compare(bench::page::BenchReport& report) {
  const auto now = report.results.begin() + static_cast<std::ptrdiff_t>(report.before);
  try {
    report.comparison = bench::compared({report.results.begin(), now}, {now, report.results.end()});
  } catch (const UsageError& error) {
    report.not_compared = error.what();
  }
}

bench::page::BenchReport read_report(const std::vector<fs::path>& files,
                                     const std::vector<std::string>& typed) {
  const Sides sides = sides_of(files, typed, report_form);
  bench::page::BenchReport report{.results = read_bench_documents(files)};
  if (!sides.now.empty()) report.before = sides.before.size();
  for (const fs::path& file : files) report.files.push_back(file.string());
  for (bench::BenchResult& result : report.results) sort_as_lessons_do(result.rows);
  if (files.size() > 1) compare(report);
  return report;
}

std::string plots(const bench::page::BenchReport& report, const TextStyle& style) {
  std::string text;
  for (const bench::BenchResult& result : report.results)
    text += (text.empty() ? "" : "\n") + bench::bench_plot(result, style);
  return text;
}

ExitCode run(const ReportOptions& options, const std::vector<std::string>& typed) {
  const ReportFormat* const format = chosen_format(options);
  if (format && options.plot) throw UsageError("--plot draws text; leave out --plot or --format");
  if (!format && options.format.empty() && options.output && options.output->extension() != ".txt")
    throw UsageError(fmt::format("the ending of {} does not say the format; add --format {}",
                                 options.output->string(), fmt::join(format_names(), "|")));
  ReportOutput output(options.output);
  const bench::page::BenchReport report = read_report(options.files, typed);
  if (format) {
    output.write(format->write(report));
    return ExitCode::ok;
  }
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  output.show(options.plot ? plots(report, style) : bench::bench_text(report.results, report.files, style));
  return ExitCode::ok;
}

}  // namespace

void add_report(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("report", "show what gpulab bench measured: text, a web page, other formats");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option(
          "FILE", options->files,
          "documents of gpulab bench: the first is compared with the others, or both sides of BASE... -- NEW...")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--format", options->format,
                   "how it is written; without it, the ending of --output decides")
      ->type_name(fmt::format("{}", fmt::join(format_names(), "|")))
      ->check(one_of(format_names()));
  command->add_option("-o,--output", options->output, "write the report here, not to stdout")
      ->type_name("FILE");
  command->add_flag("--plot", options->plot, "draw the figures over size with characters");
  command->footer(
      "The web page needs no other file and no network. It has time and throughput over size, the variants at the largest size, a run with its copies, a roofline, and the documents themselves.");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run(*options, context.words); }; });
}

}  // namespace gpulab::cli
