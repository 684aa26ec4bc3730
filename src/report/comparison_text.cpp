#include <fmt/format.h>
#include <algorithm>
#include <iterator>

#include "core/text.hpp"
#include "report/case_text.hpp"
#include "report/comparison_formats.hpp"
#include "report/table.hpp"

namespace gpulab::report {
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

bool is_row_shown(const Change& change, Shown shown) {
  return shown == Shown::all || (change.kind != ChangeKind::same && change.kind != ChangeKind::not_judged);
}

std::vector<BenchCase> cases_of(const Comparison& comparison) {
  std::vector<BenchCase> cases;
  for (const Change& change : comparison.changes) cases.push_back(change.what);
  return cases;
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

// Of the narrowest terminals the verdict, the variant, the size and the ratio are left.
std::vector<Column> columns_of_changes(bool has_options, std::size_t width) {
  constexpr std::size_t narrow = 60, least_of_names = 8;
  std::vector<Column> columns = {{"verdict"},
                                 {"lesson", Align::left, 1},
                                 {"variant", Align::left, 0, {}, width < narrow ? least_of_names : 0},
                                 {"size", Align::right}};
  if (has_options) columns.push_back({"options", Align::left, 3});
  columns.insert(columns.end(), {{"figure", Align::left, 2},
                                 {"before", Align::right, 5},
                                 {"now", Align::right, 4},
                                 {"ratio", Align::right, 0, "ratio: now / before, and between which it lies"},
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

}  // namespace gpulab::report
