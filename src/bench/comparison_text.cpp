#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"

namespace gpulab::bench {
namespace {

bool is_row_shown(const Change& change, Shown shown) {
  return shown == Shown::all || (change.kind != ChangeKind::same && change.kind != ChangeKind::not_judged);
}

std::optional<Annotation::Severity> severity(ChangeKind kind, const ComparisonRules& rules) {
  if (is_failure(kind, rules)) return Annotation::Severity::error;
  switch (kind) {
    case ChangeKind::inconclusive:
    case ChangeKind::missing:
    case ChangeKind::incomparable:
      return Annotation::Severity::warning;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string comparison_github(const Comparison& comparison) {
  using enum Annotation::Severity;
  std::string text;
  for (const Change& change : comparison.changes)
    if (const auto level = severity(change.kind, comparison.rules))
      text += github_line({.severity = *level,
                           .title = fmt::format("gpulab: {} {} {}", change.what.lesson, change.what.variant,
                                                words_of(change.kind)),
                           .message = change_line(change)});
  for (const std::string& remark : comparison.remarks)
    text += github_line({.severity = note, .title = "gpulab", .message = remark});
  return text +
         github_line({.severity = note, .title = "gpulab report", .message = comparison_summary(comparison)});
}

namespace {

TestCase::Result result_of(ChangeKind kind, const ComparisonRules& rules) {
  const auto level = severity(kind, rules);
  if (level == Annotation::Severity::error) return TestCase::Result::failed;
  return level || kind == ChangeKind::not_judged ? TestCase::Result::skipped : TestCase::Result::passed;
}

// Returns "regression", "wrong_result", "missing".
std::string failure_type(ChangeKind kind) {
  if (kind == ChangeKind::regressed) return "regression";
  return kind == ChangeKind::invalid ? "wrong_result" : std::string(name_of(kind));
}

TestCase test_case(const Change& change, const ComparisonRules& rules) {
  const std::string id = id_of(change.what).substr(change.what.lesson.size() + 1);
  TestCase test{.group = "gpulab." + change.what.lesson,
                .name = id + (change.figure.empty() ? "" : " " + change.figure),
                .result = result_of(change.kind, rules),
                .type = failure_type(change.kind)};
  if (change.unit == FigureUnit::seconds && change.now) test.seconds = fmt::format("{:.9f}", *change.now);
  const std::string line = words_of(change.kind) + ": " + change_line(change);
  if (test.result == TestCase::Result::passed)
    test.output = line;
  else
    test.message = test.text = line;
  return test;
}

}  // namespace

std::string comparison_junit(const Comparison& comparison) {
  TestSuite suite{.name = "gpulab report"};
  for (const Change& change : comparison.changes) suite.cases.push_back(test_case(change, comparison.rules));
  return junit_text(suite);
}

namespace {

std::string markdown_paragraph(const std::string& text) {
  return text + "\n\n";
}

std::vector<std::string> markdown_cells(const Change& change, const CaseDifferences& differences) {
  const bool stands_out = change.kind == ChangeKind::regressed || change.kind == ChangeKind::invalid;
  const std::string words = words_of(change.kind);
  const auto figure = [&](const std::optional<double>& value) {
    return value ? figure_text(change.unit, value) : "";
  };
  const std::string options = differences.text(change.what);
  return {stands_out ? fmt::format("**{}**", words) : words,
          markdown_cell(change.what.lesson),
          markdown_cell(change.what.variant),
          grouped(change.what.size),
          markdown_cell(options),
          markdown_cell(change.figure),
          figure(change.before),
          figure(change.now),
          ratio_text(change.ratio),
          ratio_text(change.ratio_range),
          markdown_cell(change.reason)};
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, Shown shown) {
  const CaseDifferences differences(cases_of(comparison));
  std::string rows;
  for (const Change& change : comparison.changes)
    if (is_row_shown(change, shown)) rows += markdown_row(markdown_cells(change, differences));
  std::string text = markdown_paragraph(fmt::format("**{}**", comparison_summary(comparison)));
  if (!rows.empty())
    text += fmt::format(
        "| verdict | lesson | variant | size | options | figure | before | now | ratio | range | why |\n"
        "|---|---|---|---:|---|---|---:|---:|---:|---|---|\n{}\n",
        rows);
  text += markdown_paragraph(
      fmt::format("On {}. The ratio is now / before.", markdown_cell(comparison.now.front().device.name)));
  for (const std::string& remark : comparison.remarks) text += "- " + markdown_cell(remark) + "\n";
  return text;
}

namespace {

Cell kind_cell(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::invalid:
    case ChangeKind::regressed:
      return {words_of(kind), Ink::red};
    case ChangeKind::improved:
      return {words_of(kind), Ink::green};
    case ChangeKind::same:
    case ChangeKind::not_judged:
      return {words_of(kind), Ink::faint};
    default:
      return {words_of(kind), Ink::yellow};
  }
}

std::string comparison_heading(const Comparison& comparison) {
  const BenchResult &before = comparison.before.front(), &now = comparison.now.front();
  const auto side = [](const BenchResult& result) {
    const BuildFacts& build = result.facts.build;
    return fmt::format("{}{}, {}", build.version, build.revision.empty() ? "" : " " + build.revision,
                       result.facts.started_utc);
  };
  return fmt::format("compare · {} · before: {} · now: {}", now.device.name, side(before), side(now));
}

std::vector<Cell> cells_of_case(const Change& change, const std::vector<std::string>& options) {
  std::vector<Cell> cells = {
      kind_cell(change.kind), {change.what.lesson}, {change.what.variant}, {grouped(change.what.size)}};
  for (const std::string& text : options) cells.push_back({text});
  return cells;
}

void add_figure_cells(const Change& change, std::vector<Cell>& cells) {
  cells.insert(cells.end(), {{change.figure},
                             {change.before ? figure_text(change.unit, change.before) : ""},
                             {change.now ? figure_text(change.unit, change.now) : ""},
                             {ratio_text(change.ratio), Ink::bold},
                             {ratio_text(change.ratio_range), Ink::faint}});
}

// Returns the columns. The narrowest terminals show the verdict, the variant, the size and the ratio.
std::vector<Column> columns_of_changes(bool has_options, std::size_t width) {
  constexpr std::size_t narrow = 60, min_name_width = 8;
  std::vector<Column> columns = {{"verdict"},
                                 {"lesson", Align::left, 1},
                                 {"variant", Align::left, 0, {}, width < narrow ? min_name_width : 0},
                                 {"size", Align::right}};
  if (has_options) columns.push_back({"options", Align::left, 3});
  columns.insert(columns.end(), {{"figure", Align::left, width < narrow ? 2 : 0},
                                 {"before", Align::right, 5},
                                 {"now", Align::right, 4},
                                 {"ratio", Align::right, 0, "ratio: now / before, and its range"},
                                 {"", Align::right, 6}});
  return columns;
}

Table changes_table(const std::vector<Change>& changes, const CaseDifferences& differences,
                    std::size_t width) {
  const bool has_options = std::ranges::any_of(
      changes, [&](const Change& change) { return !differences.text(change.what).empty(); });
  Table table(columns_of_changes(has_options, width));
  for (const Change& change : changes) {
    std::vector<Cell> cells = cells_of_case(
        change, has_options ? std::vector{differences.text(change.what)} : std::vector<std::string>{});
    if (!change.figure.empty()) add_figure_cells(change, cells);
    table.add(std::move(cells), change.reason);
  }
  return table;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, Shown shown, const TextStyle& style) {
  std::string text = paragraph(comparison_heading(comparison), Ink::bold, style) + "\n";
  std::vector<Change> rows;
  std::ranges::copy_if(comparison.changes, std::back_inserter(rows),
                       [&](const Change& change) { return is_row_shown(change, shown); });
  if (!rows.empty()) {
    const Table table = changes_table(rows, CaseDifferences(cases_of(comparison)), style.width);
    text += table.text(style) + "\n" + paragraph(table.legend(style), Ink::faint, style) + "\n";
  }
  for (const std::string& remark : comparison.remarks) text += paragraph(remark, Ink::plain, style);
  return text + (comparison.remarks.empty() ? "" : "\n") +
         paragraph(comparison_summary(comparison), Ink::plain, style);
}

namespace {

std::string processes_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "process" : "processes");
}

}  // namespace

std::string words_of(ChangeKind kind) {
  std::string words(name_of(kind));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string figure_text(FigureUnit unit, std::optional<double> value) {
  if (!value) return not_available;
  if (unit == FigureUnit::seconds) return duration_text(*value);
  if (unit == FigureUnit::joules) return fmt::format("{:.3g} J", *value);
  return grouped(static_cast<std::uint64_t>(std::llround(*value)));
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "";
}

std::string ratio_text(const std::optional<Interval>& range) {
  return range ? fmt::format("{:.3f} to {:.3f}", range->low, range->high) : "";
}

std::string change_line(const Change& change) {
  std::string line = id_of(change.what);
  if (!change.figure.empty())
    line += fmt::format(", {}: {} -> {}", change.figure, figure_text(change.unit, change.before),
                        figure_text(change.unit, change.now));
  if (change.ratio)
    line += fmt::format(" ({}{}{})", ratio_text(change.ratio), change.ratio_range ? ", " : "",
                        ratio_text(change.ratio_range));
  return change.reason.empty() ? line : line + ": " + change.reason;
}

std::string comparison_summary(const Comparison& comparison) {
  std::string counts;
  for (const ChangeKind kind : all_change_kinds)
    if (const std::size_t count = comparison.count(kind); count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, words_of(kind));
  return fmt::format("{} (threshold {:.3g} %, {}{} before, {} now)", counts, 100 * comparison.rules.threshold,
                     comparison.rules.is_strict ? "strict, " : "",
                     processes_text(comparison.processes_before), comparison.processes_now);
}

}  // namespace gpulab::bench
