#include "report/html/header.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "report/bench_cases.hpp"
#include "report/bench_text.hpp"
#include "report/comparison_formats.hpp"
#include "report/html/markup.hpp"
#include "report/quantity_text.hpp"
#include "report/words.hpp"

namespace gpulab::report::html {
namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

template <class Of>
std::vector<std::string> different(const BenchReport& report, const Of& of) {
  std::vector<std::string> words;
  for (const BenchResult& result : report.results)
    for (const std::string& word : of(result))
      if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  return words;
}

std::string device_words(const DeviceProperties& device) {
  std::string text = device.name;
  if (device.simulated()) return text;
  text += ", compute capability " + device.compute_capability();
  if (device.multiprocessors > 0) text += fmt::format(", {} multiprocessors", device.multiprocessors);
  if (device.l2_bytes > 0) text += ", L2 cache " + capacity_text(static_cast<double>(device.l2_bytes));
  if (!device.driver_version.empty()) text += ", driver " + device.driver_version;
  return text;
}

std::string host_words(const RunFacts& facts) {
  std::string text = facts.hostname;
  if (!facts.cpu.empty()) text += ", " + facts.cpu;
  return text + fmt::format(", {} threads", facts.cores);
}

std::string ceilings_words(const BenchResult& result) {
  std::vector<std::string> words;
  for (const Ceiling& ceiling : result.ceilings)
    words.push_back(ceiling.what + " " +
                    rate_with_unit(ceiling.per_s, ceiling.what.find("multiply-add") != std::string::npos));
  return listed(words);
}

std::string command_words(const RunFacts& facts) {
  std::string text;
  for (const std::string& word : facts.argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string case_words(const ReportedCase& one) {
  return fmt::format("{} {} {}", one.what.lesson, one.what.variant, size_words(one.what.size));
}

// "warning" and "wrong" are said in words, too.
std::string finding(const std::string& kind, const std::string& label, const std::string& text) {
  return fmt::format("<li class=\"{}\"><strong>{}</strong> {}</li>\n", kind, escaped(label), escaped(text));
}

std::string invalid_rows(const std::vector<ReportedCase>& cases) {
  std::string text;
  for (const ReportedCase& one : cases)
    if (!one.valid)
      text +=
          finding("wrong", "Not valid:",
                  fmt::format("{}: {}{}. Its figures are left out.", case_words(one), name_of(one.observed),
                              one.explanation.empty() ? "" : ", " + one.explanation));
  return text;
}

std::string warnings_of(const std::vector<ReportedCase>& cases) {
  std::map<std::string, std::vector<std::string>> rows_with;
  for (const ReportedCase& one : cases)
    for (const std::string& warning : one.warnings) rows_with[warning].push_back(case_words(one));
  std::string text;
  constexpr std::size_t most_named = 4;
  for (auto& [warning, rows] : rows_with) {
    const std::size_t more = rows.size() - std::min(rows.size(), most_named);
    rows.resize(rows.size() - more);
    text += finding(
        "warning", "Warning:",
        fmt::format("{} ({}{})", warning, listed(rows), more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  return text;
}

std::string comparison_finding(const BenchReport& report) {
  if (!report.comparison)
    return report.not_compared.empty() ? "" : finding("warning", "Not compared:", report.not_compared);
  const bool regressed = exit_code_of(*report.comparison) != ExitCode::ok;
  std::string text =
      finding(regressed ? "wrong" : "good", "Compared:", comparison_summary(*report.comparison));
  for (const std::string& remark : report.comparison->remarks) text += finding("remark", "Remark:", remark);
  return text;
}

std::string findings_of(const BenchResult& result, const std::string& file) {
  std::string text;
  const std::string of_file = file.empty() ? "" : file + ": ";
  if (!result.complete()) text += finding("warning", "Not complete:", of_file + rows_measured(result));
  const std::vector<ReportedCase> cases = reported_cases({result});
  text += invalid_rows(cases);
  for (const BenchClaim& claim : result.claims)
    if (claim.result.verdict == ClaimVerdict::does_not_hold)
      text += finding("warning", "Does not hold:",
                      fmt::format("{}, {} work items: {}", claim.lesson, size_words(claim.size),
                                  claim_text(claim.result.claim)));
  text += warnings_of(cases);
  for (const std::string& remark : result.remarks) text += finding("remark", "Remark:", of_file + remark);
  return text;
}

}  // namespace

std::string page_title(const BenchReport& report) {
  const auto lessons = different(report, [](const BenchResult& result) {
    std::vector<std::string> names;
    for (const BenchRow& row : result.rows)
      if (names.empty() || names.back() != row.what.lesson) names.push_back(row.what.lesson);
    return names;
  });
  const auto devices = different(report, [](const BenchResult& result) {
    return std::vector{result.device.simulated() ? std::string("the simulator") : result.device.name};
  });
  constexpr std::size_t most_named = 4;
  const std::string what = lessons.empty()               ? "Nothing"
                           : lessons.size() > most_named ? fmt::format("{} lessons", lessons.size())
                                                         : listed(lessons);
  return what + " on " + listed(devices);
}

std::string facts_markup(const BenchReport& report) {
  FigureTable table{.titles = {"document"}};
  std::vector<std::vector<std::string>> rows{{"device"},  {"host"},     {"started"},
                                             {"gpulab"},  {"command"},  {"processes"},
                                             {"results"}, {"complete"}, {"ceilings"}};
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const BenchResult& result = report.results[i];
    table.titles.push_back(report.files[i] + (!report.comparison  ? ""
                                              : i < report.before ? " (before)"
                                                                  : " (now)"));
    const std::string values[] = {
        device_words(result.device), host_words(result.facts),
        result.facts.started_utc,    result.facts.build.version + ", revision " + result.facts.build.revision,
        command_words(result.facts), std::to_string(result.plan.processes),
        grouped(result.rows.size()), result.complete() ? "yes" : "no, " + result.stopped_by,
        ceilings_words(result)};
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row].push_back(values[row]);
  }
  for (std::vector<std::string>& row : rows)
    if (std::ranges::any_of(row.begin() + 1, row.end(),
                            [](const std::string& text) { return !text.empty(); }))
      table.rows.push_back(std::move(row));
  return "<section class=\"facts\" aria-label=\"Where it was measured\">\n" +
         table_markup(table, "Where it was measured") + "</section>\n";
}

std::string findings_markup(const BenchReport& report) {
  std::string list = comparison_finding(report);
  for (std::size_t i = 0; i < report.results.size(); ++i)
    list += findings_of(report.results[i], report.results.size() > 1 ? report.files[i] : "");
  if (list.empty())
    list = finding("good", "Complete.", "Every result was right before and after it was measured.");
  return "<section aria-label=\"What to know first\">\n<ul class=\"findings\">\n" + list +
         "</ul>\n</section>\n";
}

}  // namespace gpulab::report::html
