#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "lesson/words.hpp"

namespace gpulab::bench {
namespace {

// Returns the changes with a row of their own.
std::vector<Change> rows_of(const Comparison& comparison, Shown shown) {
  std::vector<Change> rows;
  std::ranges::copy_if(comparison.changes, std::back_inserter(rows), [&](const Change& change) {
    const bool is_a_change = change.kind != ChangeKind::same && change.kind != ChangeKind::not_judged;
    return (shown == Shown::all || is_a_change) && !change.is_one_sided_case();
  });
  join_equal_failures(rows, comparison);
  return rows;
}

}  // namespace

std::vector<BenchCase> cases_of(const Comparison& comparison) {
  return transformed(comparison.changes, &Change::what);
}

std::map<std::string, std::string> most_changed_counts(const Comparison& comparison) {
  std::map<std::string, std::string> counts;
  std::map<std::string, double> largest;
  for (const Change& change : comparison.changes) {
    if (change.kind == ChangeKind::not_judged || change.has_threshold() || !change.before || !change.now)
      continue;
    const double factor = std::abs(std::log((*change.now + 1) / (*change.before + 1)));  // either may be 0
    if (factor <= largest[change.what.lesson]) continue;
    largest[change.what.lesson] = factor;
    counts[change.what.lesson] = change.figure;
  }
  return counts;
}

std::string OneSidedCases::text() const {
  constexpr std::size_t max_named = 3;
  const std::size_t named = names.size() > max_named + 1 ? max_named : names.size();
  std::string text = lesson;
  for (std::size_t i = 0; i < named; ++i) text += (i > 0 ? ", " : " ") + names[i];
  if (named < names.size()) text += fmt::format(" and {} more", names.size() - named);
  return reason.empty() ? text : text + ": " + reason;
}

std::vector<OneSidedCases> one_sided_cases(const Comparison& comparison) {
  std::vector<OneSidedCases> all;
  for (const Change& change : comparison.changes) {
    if (!change.is_one_sided_case()) continue;
    auto found = std::ranges::find_if(all, [&](const OneSidedCases& group) {
      return group.kind == change.kind && group.lesson == change.what.lesson && group.reason == change.reason;
    });
    if (found == all.end())
      found = all.insert(found, OneSidedCases{change.kind, change.what.lesson, change.reason, {}});
    found->names.push_back(change.what.variant + " " + grouped(change.what.size));
  }
  return all;
}

namespace {

TestCase::Result result_of(const Change& change, const ComparisonRules& rules) {
  const auto level = severity(change, rules);
  if (level == Annotation::Severity::error) return TestCase::Result::failed;
  return level ? TestCase::Result::skipped : TestCase::Result::passed;
}

// Returns "regression", "missing" or, of a case that is not valid, its outcome: "fails_to_compile".
std::string failure_type(const Change& change) {
  if (change.observed) return identifier(*change.observed);
  return change.kind == ChangeKind::regressed ? "regression" : std::string(name_of(change.kind));
}

TestCase test_case(const Change& change, const Comparison& comparison) {
  const std::string id = id_of(change.what).substr(change.what.lesson.size() + 1);
  TestCase test{.group = "gpulab." + change.what.lesson,
                .name = id + (change.figure.empty() ? "" : " " + change.figure),
                .result = result_of(change, comparison.rules),
                .type = failure_type(change)};
  if (change.unit == FigureUnit::seconds && change.now) test.seconds = fmt::format("{:.9f}", *change.now);
  const std::string line = words_of(change.kind) + ": " + change_line(change);
  if (test.result == TestCase::Result::passed) {
    test.output = line;
    return test;
  }
  test.message = test.text = line;
  const Annotation place = annotation_of(change.what, comparison.now.front());
  test.file = place.file;
  test.line = place.line;
  return test;
}

}  // namespace

std::string comparison_junit(const Comparison& comparison) {
  TestSuite suite{.name = "gpulab report"};
  for (const Change& change : comparison.changes)
    if (change.kind != ChangeKind::not_judged) suite.cases.push_back(test_case(change, comparison));
  if (const std::string reason = strict_failure_text(comparison); !comparison.strict_failures.empty())
    suite.cases.push_back({.group = "gpulab.report",
                           .name = "fails by --strict",
                           .result = TestCase::Result::failed,
                           .type = "strict",
                           .message = reason,
                           .text = reason});
  if (!comparison.not_judged.empty())
    suite.cases.push_back({.group = "gpulab.report",
                           .name = "not judged",
                           .result = TestCase::Result::skipped,
                           .message = comparison.not_judged,
                           .text = comparison.not_judged});
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
  for (const Change& change : rows_of(comparison, shown))
    rows += markdown_row(markdown_cells(change, differences));
  std::string text = markdown_paragraph(fmt::format("**{}**", comparison_summary(comparison)));
  if (const std::string reason = strict_failure_text(comparison); !reason.empty())
    text += markdown_paragraph(fmt::format("**fails by --strict: {}**", markdown_cell(reason)));
  if (!rows.empty())
    text += fmt::format(
        "| verdict | lesson | variant | size | options | figure | before | now | ratio | range | why |\n"
        "|---|---|---|---:|---|---|---:|---:|---:|---|---|\n{}\n",
        rows);
  text += markdown_paragraph(fmt::format("Device: {}. The ratio is now / before.",
                                         markdown_cell(comparison.now.front().device.name)));
  for (const OneSidedCases& cases : one_sided_cases(comparison))
    text += fmt::format("- {}: {}\n", words_of(cases.kind), markdown_cell(cases.text()));
  for (const std::string& remark : comparison.remarks) text += "- " + markdown_cell(remark) + "\n";
  if (const std::size_t count = comparison.count(ChangeKind::not_judged); count > 0)
    text += fmt::format(
        "- not judged: {} for information only. Times of the CPU, of copies and of a launch's call, requests, lanes and the simulator's switches are no cost of the kernel{}\n",
        count == 1 ? "1 figure is" : fmt::format("{} figures are", count),
        shown == Shown::all ? "." : "; `--all` shows them.");
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
    const std::string& kernels = result.plan.kernels;
    return fmt::format("{}{}{}, {}", kernels.empty() ? "" : "--kernels " + kernels + ", ", build.version,
                       build.revision.empty() ? "" : " " + build.revision, result.facts.started_utc);
  };
  return fmt::format("compare · {} · before: {} · now: {}", now.device.name, side(before), side(now));
}

// Part of a row's name, with its column.
struct NamePart {
  Column column;
  std::function<std::string(const Change&)> text_of;
};

std::vector<NamePart> name_parts(const CaseDifferences& differences) {
  return {{{"lesson"}, [](const Change& change) { return change.what.lesson; }},
          {{"variant"}, [](const Change& change) { return change.what.variant; }},
          {{"size", Align::right}, [](const Change& change) { return grouped(change.what.size); }},
          {{"options"}, [&](const Change& change) { return differences.text(change.what); }},
          {{"figure"}, [](const Change& change) { return change.figure; }}};
}

// Removes the parts that are the same in all rows, and returns them: "variant shared · size 4 096".
std::string take_shared(const std::vector<Change>& rows, std::vector<NamePart>& names) {
  std::string shared;
  std::erase_if(names, [&](const NamePart& name) {
    const std::string first = name.text_of(rows.front());
    const bool is_shared =
        std::ranges::all_of(rows, [&](const Change& row) { return name.text_of(row) == first; });
    if (!is_shared) return false;
    if (!first.empty()) shared += (shared.empty() ? "" : " · ") + name.column.title + " " + first;
    return true;
  });
  return shared;
}

Table table_of(const std::vector<Change>& rows, const std::vector<NamePart>& names) {
  const bool has_range = std::ranges::any_of(rows, [](const Change& row) { return bool(row.ratio_range); });
  std::vector<Column> columns{{"verdict"}};
  for (const NamePart& name : names) columns.push_back(name.column);
  columns.insert(columns.end(), {{"before", Align::right},
                                 {"now", Align::right},
                                 {"ratio", Align::right, 0,
                                  std::string("ratio: now / before") + (has_range ? ", and its range" : "")},
                                 {"", Align::right, 1}});
  Table table(std::move(columns));
  for (const Change& row : rows) {
    std::vector<Cell> cells{kind_cell(row.kind)};
    for (const NamePart& name : names) cells.push_back({name.text_of(row)});
    if (!row.figure.empty())
      cells.insert(cells.end(), {{row.before ? figure_text(row.unit, row.before) : ""},
                                 {row.now ? figure_text(row.unit, row.now) : ""},
                                 {ratio_text(row.ratio), Ink::bold},
                                 {ratio_text(row.ratio_range), Ink::faint}});
    table.add(std::move(cells), row.reason);
  }
  return table;
}

// Returns a row as one text that can be wrapped: "shared 4 096 cold: 12.0 us -> 12.9 us (1.041 to 1.062)".
std::string line_of(const Change& change, const std::vector<NamePart>& names) {
  std::string text;
  for (const NamePart& name : names)
    if (const std::string part = name.text_of(change); !part.empty())
      text += (text.empty() ? "" : " ") + part;
  if (!change.figure.empty())
    text += fmt::format("{}{} -> {}", text.empty() ? "" : ": ", figure_text(change.unit, change.before),
                        figure_text(change.unit, change.now));
  if (change.ratio_range) text += " (" + ratio_text(change.ratio_range) + ")";
  return change.reason.empty() ? text : text + (text.empty() ? "" : ": ") + change.reason;
}

Table table_of_lines(const std::vector<Change>& rows, const std::vector<NamePart>& names) {
  Table table({{"verdict"}, {"ratio", Align::right, 0, "ratio: now / before"}, {"what: before -> now"}});
  for (const Change& row : rows)
    table.add({kind_cell(row.kind), {ratio_text(row.ratio), Ink::bold}}, line_of(row, names));
  return table;
}

// Returns the rows as a table. If it is too wide, values that all rows share are named above it instead.
std::string rows_text(const std::vector<Change>& rows, const CaseDifferences& differences,
                      const TextStyle& style) {
  std::vector<NamePart> names = name_parts(differences);
  std::erase_if(names, [&](const NamePart& name) {
    return std::ranges::all_of(rows, [&](const Change& row) { return name.text_of(row).empty(); });
  });
  std::string text;
  Table table = table_of(rows, names);
  if (!table.fits(style.width)) {
    if (const std::string shared = take_shared(rows, names); !shared.empty())
      text = paragraph(shared, Ink::plain, style) + "\n";
    table = table_of(rows, names);
  }
  if (!table.fits(style.width)) table = table_of_lines(rows, names);
  const bool has_ratio = std::ranges::any_of(rows, [](const Change& row) { return row.ratio.has_value(); });
  const std::string legend = has_ratio ? paragraph(table.legend(style), Ink::faint, style) + "\n" : "";
  return fmt::format("{}{}\n{}", text, table.text(style), legend);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, Shown shown, const TextStyle& style) {
  std::string text = paragraph(comparison_heading(comparison), Ink::bold, style) + "\n";
  if (const std::vector<Change> rows = rows_of(comparison, shown); !rows.empty())
    text += rows_text(rows, CaseDifferences(cases_of(comparison)), style);
  std::string findings;
  for (const OneSidedCases& cases : one_sided_cases(comparison))
    findings += labelled(words_of(cases.kind), Ink::yellow, cases.text(), style);
  for (const std::string& remark : comparison.remarks) findings += paragraph(remark, Ink::plain, style);
  text += findings + (findings.empty() ? "" : "\n");
  for (const std::string& line : lines_of(comparison_summary(comparison)))
    text += paragraph(line, Ink::plain, style);
  const std::string reason = strict_failure_text(comparison);
  return reason.empty() ? text : text + labelled("fails by --strict", Ink::red, reason, style);
}

std::string_view name_of(ChangeKind kind) {
  static constexpr Named<ChangeKind> names[] = {
      {ChangeKind::invalid, "invalid"},
      {ChangeKind::regressed, "regressed"},
      {ChangeKind::inconclusive, "inconclusive"},
      {ChangeKind::missing, "missing"},
      {ChangeKind::incomparable, "incomparable"},
      {ChangeKind::allowed, "allowed"},
      {ChangeKind::improved, "improved"},
      {ChangeKind::is_new, "new"},
      {ChangeKind::same, "same"},
      {ChangeKind::not_judged, "not_judged"},
  };
  static_assert(names_every(names, ChangeKind::not_judged));
  return name_in(names, kind);
}

std::string words_of(ChangeKind kind) {
  std::string words(name_of(kind));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string figure_text(FigureUnit unit, std::optional<double> value) {
  if (!value) return not_available;
  if (unit == FigureUnit::seconds) return duration_text(*value);
  if (unit == FigureUnit::joules)
    return *value < 0.9995 ? three_digits(*value * 1e3) + " mJ" : three_digits(*value) + " J";
  return grouped(static_cast<std::uint64_t>(std::llround(*value)));
}

std::string half_range_text(const BenchFigure& figure) {
  if (!figure.range || figure.value <= 0) return "";
  return " ± " + percent_text((figure.range->high - figure.range->low) / 2 / figure.value);
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

namespace {

// Returns a line if each kernel that the base has was wrong there; else empty.
std::string why_nothing_compared(const Comparison& comparison) {
  std::size_t repaired = 0;
  for (const Change& change : comparison.changes) {
    if (change.before && change.now && change.kind != ChangeKind::not_judged) return "";
    repaired += change.is_repaired() ? 1 : 0;
  }
  if (repaired == 0) return "";
  return fmt::format("\nnothing was compared: in {} of its rows the base does not compile or is wrong",
                     repaired);
}

}  // namespace

std::string comparison_summary(const Comparison& comparison) {
  std::string counts;
  for (const ChangeKind kind : all_change_kinds)
    if (const std::size_t count = comparison.count(kind); count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, words_of(kind));
  // Counts have no threshold.
  const auto is_count = [](const Change& change) { return change.unit == FigureUnit::count; };
  const std::string threshold = std::ranges::any_of(comparison.changes, is_count) &&
                                        std::ranges::none_of(comparison.changes, &Change::has_threshold)
                                    ? ""
                                    : fmt::format("threshold {:.3g} %, ", 100 * comparison.rules.threshold);
  return fmt::format("{} ({}{}{} {} before, {} now)", counts, threshold,
                     comparison.rules.is_strict ? "strict, " : "", comparison.processes_before,
                     comparison.processes_before == 1 ? "process" : "processes", comparison.processes_now) +
         why_nothing_compared(comparison);
}

std::string strict_failure_text(const Comparison& comparison) {
  std::map<ChangeKind, std::size_t> counts;  // of what fails by strict rules alone
  for (const Change& change : comparison.changes)
    if (is_failure(change, comparison.rules) && !is_failure(change, {})) ++counts[change.kind];
  std::vector<std::string> reasons;
  for (const auto& [kind, count] : counts) reasons.push_back(fmt::format("{} {}", count, words_of(kind)));
  reasons.insert(reasons.end(), comparison.strict_failures.begin(), comparison.strict_failures.end());
  return fmt::format("{}", fmt::join(reasons, "; "));
}

void remark_uncounted(Comparison& comparison) {
  if (comparison.now.front().device.simulated())
    comparison.remarks.emplace_back(
        "counts: memory accesses; arithmetic, barriers and local memory are not counted");
}

void doubt_order(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now,
                 Comparison& comparison) {
  const RunFacts &facts_before = before.front().facts, &facts_now = now.front().facts;
  if (facts_now.started_utc >= facts_before.started_utc) return;
  const std::string doubt =
      "what is compared as now was measured earlier: are the sides swapped? If not, measure NEW again, or add --allow sides";
  const auto& allowed = comparison.rules.may_grow;
  const bool has_improved = comparison.count(ChangeKind::improved) > 0 && !contains(allowed, sides);
  if (has_improved && facts_now.hostname == facts_before.hostname) return comparison.doubt(doubt);
  comparison.remarks.push_back(doubt);
}

std::string comparison_end(const Comparison& comparison) {
  const std::string reason = strict_failure_text(comparison);
  return comparison_summary(comparison) + (reason.empty() ? "" : "\nfails by --strict: " + reason);
}

}  // namespace gpulab::bench
