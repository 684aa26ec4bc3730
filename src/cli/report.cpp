#include <fmt/format.h>
#include <algorithm>

#include "bench/compare.hpp"
#include "cli/bench_documents.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/sides.hpp"
#include "report/bench_formats.hpp"
#include "report/bench_html.hpp"
#include "report/bench_plot.hpp"
#include "report/bench_text.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* form = "gpulab report FILE..., or gpulab report BASE... -- NEW...";

struct ReportWords {
  std::vector<fs::path> files;
  std::string format;
  std::optional<fs::path> output;
  bool plot = false;
};

struct ReportFormat {
  const char* name;
  const char* ending;  // of an output file that is written so unasked
  std::string (*write)(const report::BenchReport&);
};

template <std::string (*write)(const std::vector<BenchResult>&)>
std::string of_results(const report::BenchReport& report) {
  return write(report.results);
}

// Several tools read JSON, so that ending alone says nothing.
constexpr ReportFormat report_formats[] = {{"html", ".html", report::bench_html},
                                           {"csv", ".csv", of_results<report::bench_csv>},
                                           {"md", ".md", of_results<report::bench_markdown>},
                                           {"junit", ".xml", of_results<report::bench_junit>},
                                           {"bmf", "", of_results<report::bench_bmf>},
                                           {"gha", "", of_results<report::bench_gha>},
                                           {"gbench", "", of_results<report::bench_gbench>}};

std::vector<std::string> format_names() {
  std::vector<std::string> names{"text"};
  for (const ReportFormat& format : report_formats) names.emplace_back(format.name);
  return names;
}

// What was asked for, or else what the output's ending says; none for text.
const ReportFormat* chosen_format(const ReportWords& words) {
  for (const ReportFormat& format : report_formats) {
    if (words.format == format.name) return &format;
    const bool has_ending = words.output && *format.ending && words.output->extension() == format.ending;
    if (words.format.empty() && has_ending) return &format;
  }
  return nullptr;
}

// What is before with the others. Documents that cannot be compared, such as those of two GPUs, can still be
// shown.
void compare(report::BenchReport& report) {
  const auto now = report.results.begin() + static_cast<std::ptrdiff_t>(report.before);
  try {
    report.comparison = bench::compared({report.results.begin(), now}, {now, report.results.end()});
  } catch (const UsageError& error) {
    report.not_compared = error.what();
  }
}

report::BenchReport read_report(const std::vector<fs::path>& files, const std::vector<std::string>& typed) {
  const Sides sides = sides_of(files, typed, form);
  report::BenchReport report{.results = read_bench_documents(files)};
  if (!sides.now.empty()) report.before = sides.before.size();
  for (const fs::path& file : files) report.files.push_back(file.string());
  for (BenchResult& result : report.results) sort_as_lessons_do(result.rows);
  if (files.size() > 1) compare(report);
  return report;
}

std::string plots(const report::BenchReport& report, const report::TextStyle& style) {
  std::string text;
  for (const BenchResult& result : report.results)
    text += (text.empty() ? "" : "\n") + report::bench_plot(result, style);
  return text;
}

ExitCode run(const ReportWords& words, const std::vector<std::string>& typed) {
  const ReportFormat* const format = chosen_format(words);
  if (format && words.plot) throw UsageError("--plot draws text; leave out --plot or --format");
  if (!format && words.format.empty() && words.output && words.output->extension() != ".txt")
    throw UsageError(fmt::format("what {} should be written as, its ending does not say; add --format {}",
                                 words.output->string(), fmt::join(format_names(), "|")));
  Output output(words.output);
  const report::BenchReport report = read_report(words.files, typed);
  if (format) {
    output.write(format->write(report));
    return ExitCode::ok;
  }
  const report::TextStyle style = output.is_file() ? report::TextStyle{} : style_of_stdout();
  output.show(words.plot ? plots(report, style) : report::bench_text(report.results, report.files, style));
  return ExitCode::ok;
}

}  // namespace

void add_report(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("report", "show what gpulab bench measured: text, a web page, other formats");
  auto words = std::make_shared<ReportWords>();
  command
      ->add_option("FILE", words->files,
                   "documents of gpulab bench: the first is compared with the others, or both sides of "
                   "BASE... -- NEW...")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--format", words->format, "how it is written; left out: as the ending of the output says")
      ->type_name(fmt::format("{}", fmt::join(format_names(), "|")))
      ->check(one_of(format_names()));
  command->add_option("-o,--output", words->output, "write the report here, not to stdout")
      ->type_name("FILE");
  command->add_flag("--plot", words->plot, "draw the figures over size with characters");
  command->footer(
      "The web page needs no other file and no network. It has time and throughput over size, the variants "
      "at the "
      "largest size, a run with its copies, a roofline, and the documents themselves.");
  command->callback(
      [&context, words] { context.action = [&context, words] { return run(*words, context.words); }; });
}

}  // namespace gpulab::cli
