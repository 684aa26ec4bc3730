#include <fmt/format.h>
#include <algorithm>

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

bool is_shown(const Change& change, Shown shown) {
  return shown == Shown::all || (change.kind != ChangeKind::same && change.kind != ChangeKind::not_judged);
}

std::vector<BenchCase> cases_of(const Comparison& comparison) {
  std::vector<BenchCase> cases;
  for (const Change& change : comparison.changes) cases.push_back(change.what);
  return cases;
}

std::string heading(const Comparison& comparison) {
  const BenchResult &before = comparison.before.front(), &now = comparison.now.front();
  const auto side = [](const BenchResult& result) {
    const BuildFacts& build = result.facts.build;
    return fmt::format("{}{}, {}", build.version, build.revision.empty() ? "" : " " + build.revision,
                       result.facts.started_utc);
  };
  return fmt::format("compare · {} · before: {} · now: {}", now.device.name, side(before), side(now));
}

std::vector<Cell> change_cells(const Change& change, const CaseDifferences& differences) {
  return {kind_cell(change.kind),
          {change.what.lesson},
          {change.what.variant},
          {grouped(change.what.size)},
          {differences.text(change.what)},
          {change.figure},
          {change.before ? figure_text(change.unit, change.before) : ""},
          {change.now ? figure_text(change.unit, change.now) : ""},
          {ratio_text(change.ratio), Ink::bold},
          {ratio_text(change.ratio_range), Ink::faint}};
}

Table table_of(const Comparison& comparison, Shown shown) {
  const CaseDifferences differences(cases_of(comparison));
  Table table({{"verdict"},
               {"lesson", Align::left, 3},
               {"variant"},
               {"size", Align::right, 1},
               {"options", Align::left, 2},
               {"figure"},
               {"before", Align::right, 4},
               {"now", Align::right, 4},
               {"ratio", Align::right, 0, "ratio: now / before, and between which it lies"},
               {"", Align::right, 5}});
  for (const Change& change : comparison.changes) {
    if (!is_shown(change, shown)) continue;
    std::vector<Cell> cells = change_cells(change, differences);
    if (change.figure.empty()) cells.resize(5);
    table.add(std::move(cells), change.reason);
  }
  return table;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, Shown shown, const TextStyle& style) {
  std::string text = paragraph(heading(comparison), Ink::bold, style) + "\n";
  const bool has_rows =
      std::ranges::any_of(comparison.changes, [&](const Change& change) { return is_shown(change, shown); });
  if (has_rows) {
    const Table table = table_of(comparison, shown);
    text += table.text(style) + "\n" + paragraph(table.legend(style), Ink::faint, style) + "\n";
  }
  for (const std::string& remark : comparison.remarks) text += paragraph(remark, Ink::plain, style);
  return text + (comparison.remarks.empty() ? "" : "\n") +
         paragraph(comparison_summary(comparison), Ink::plain, style);
}

}  // namespace gpulab::report
