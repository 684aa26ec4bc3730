#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "run/documents.hpp"

namespace gpulab::run {
namespace {

std::string title_of(const Figure& figure) {
  return figure.unit.empty() ? figure.name : figure.name + ", " + figure.unit;
}

// Returns whether the variant has figures at the size asked for. Figures at another size are not comparable.
bool has_figures(const VariantResult& variant, std::size_t asked_size) {
  return variant.size == asked_size && !variant.findings.figures.empty();
}

// Returns the titles of all figures, in order of first appearance.
std::vector<std::string> titles(const LessonResult& result) {
  std::vector<std::string> all;
  for (const VariantResult& variant : result.variants)
    for (const Figure& figure : variant.findings.figures)
      if (has_figures(variant, result.size)) add_once(all, title_of(figure));
  return all;
}

Cell cell_for(const VariantResult& variant, const std::string& title, const LessonChanges& changes) {
  for (const Figure& figure : variant.findings.figures)
    if (title_of(figure) == title) return changes.figure(variant, figure);
  return {not_available, Ink::faint};
}

// Returns the explanation of a title; empty if it needs none.
std::string legend_of(const std::string& title) {
  const bool is_of_lanes = title == name_of(AccessMetric::lanes_per_request);
  return is_of_lanes
             ? title + ": lanes of a warp in an access to memory, on average; arithmetic is not counted"
             : "";
}

Table table_of(const LessonResult& result, std::span<const std::string> shown, const LessonChanges& changes) {
  std::vector<Column> columns{{"variant"}};
  for (const std::string& title : shown)
    columns.push_back({.title = title, .align = Align::right, .legend = legend_of(title)});
  Table table(std::move(columns));
  for (const VariantResult& variant : result.variants) {
    if (!has_figures(variant, result.size)) continue;
    std::vector<Cell> cells{changes.name(variant)};
    for (const std::string& title : shown) cells.push_back(cell_for(variant, title, changes));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

// Puts as many figures side by side as fit, at least one, and the rest into further tables below.
std::string figures_table(const LessonResult& result, const TextStyle& style, const LessonChanges& changes) {
  const std::vector<std::string> all = titles(result);
  std::string text;
  for (std::span<const std::string> remaining = all; !remaining.empty();) {
    std::size_t count = remaining.size();
    while (count > 1 && !table_of(result, remaining.first(count), changes).fits(style.width)) --count;
    const Table table = table_of(result, remaining.first(count), changes);
    text +=
        (text.empty() ? "" : "\n") + table.text(style) + paragraph(table.legend(style), Ink::faint, style);
    remaining = remaining.subspan(count);
  }
  return text;
}

namespace {

// Number of rows shown: nobody reads more in a terminal; files and JSON have all rows.
constexpr std::size_t rows_shown = 10;

}  // namespace

std::string records_text(const LessonResult& result, const TextStyle& style) {
  if (!result.records) return "";
  const auto& [columns, units, rows] = *result.records;
  std::vector<Column> titles;
  for (std::size_t i = 0; i < columns.size(); ++i)
    titles.push_back({.title = units[i].empty() ? columns[i] : columns[i] + ", " + units[i],
                      .align = Align::right,
                      .priority = static_cast<int>(i)});
  Table table(std::move(titles));
  for (std::size_t i = 0; i < std::min(rows.size(), rows_shown); ++i) {
    std::vector<Cell> cells;
    for (const double value : rows[i]) cells.push_back({element_text(value)});
    table.add(std::move(cells));
  }
  const std::string rest =
      rows.size() > rows_shown ? "… and " + grouped(rows.size() - rows_shown) + " more\n" : "";
  return table.text(style) + rest;
}

namespace {

constexpr std::int64_t bytes_of_all_banks = 128;

const char* verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::global_load:
    case AccessKind::shared_load:
      return "read";
    case AccessKind::global_store:
    case AccessKind::shared_store:
      return "write";
    default:
      return "update";
  }
}

std::string mean_of(const LineAccesses& accesses, std::uint64_t sum) {
  const std::uint64_t requests = accesses.sums.requests;
  return (sum % requests == 0 ? "" : "on average ") + mean_text(sum, requests);
}

// Returns whether fewer than three quarters of the lanes are active.
bool has_few_lanes(const LineAccesses& accesses) {
  return 4 * accesses.sums.active_lanes < 3 * accesses.warp_size * accesses.sums.requests;
}

// Returns "on average only 5.43 of 32 lanes are active".
std::string few_lanes_text(const LineAccesses& accesses) {
  const std::uint64_t lanes = accesses.sums.active_lanes, requests = accesses.sums.requests;
  return fmt::format("{}only {} of {} lanes are active", lanes % requests == 0 ? "" : "on average ",
                     mean_text(lanes, requests), accesses.warp_size);
}

// Returns whether lanes access neighbouring elements, apart from lanes that share one.
bool is_dense(const LineAccesses& accesses, std::int64_t stride) {
  constexpr double tolerance = 1.25;  // of spanned bytes to accessed bytes: a quarter may be gaps
  const auto bytes = static_cast<double>(accesses.sums.bytes);
  return static_cast<double>(std::abs(stride)) * static_cast<double>(accesses.sums.active_lanes) <=
         tolerance * bytes;
}

bool leaves_gaps(const CostlyAccess& costly, std::int64_t stride) {
  return stride != 0 && !is_dense(costly.accesses, stride);
}

std::string why_many_sectors(const CostlyAccess& costly) {
  const LineAccesses& accesses = costly.accesses;
  const char* const verb = verb_of(accesses.kind);
  const std::int64_t stride = stride_of(costly).value_or(0);
  if (leaves_gaps(costly, stride))
    return fmt::format("neighbouring threads {} addresses {} bytes apart", verb, std::abs(stride));
  if (has_few_lanes(accesses))
    return fmt::format("{}, with gaps between what they {}", few_lanes_text(accesses), verb);
  if (stride == 0) return fmt::format("its threads {} scattered addresses", verb);
  return fmt::format(
      "neighbouring threads {} neighbouring elements, but these do not begin where a sector does", verb);
}

std::string why_banks_conflict(const CostlyAccess& costly) {
  const char* const verb = verb_of(costly.accesses.kind);
  const auto stride = stride_of(costly);
  if (!stride || *stride == 0) return fmt::format("threads {} different words of the same bank", verb);
  return fmt::format(
      "neighbouring threads {} addresses {} bytes apart, {}", verb, std::abs(*stride),
      *stride % bytes_of_all_banks == 0 ? "all in one bank" : "and several fall into one bank");
}

std::string what_happens(const CostlyAccess& costly) {
  const LineAccesses& accesses = costly.accesses;
  switch (costly.cost) {
    case AccessCost::sectors:
      return fmt::format("each request of a warp touches {} sectors where {} would be enough: {}",
                         mean_of(accesses, accesses.sums.sectors),
                         mean_text(accesses.pattern.min_sectors, accesses.sums.requests),
                         why_many_sectors(costly));
    case AccessCost::bank_conflicts:
      return fmt::format(
          "each request of a warp takes {} passes over shared memory where {} would be enough: {}",
          mean_of(accesses, accesses.sums.bank_wavefronts),
          mean_text(accesses.pattern.min_bank_wavefronts, accesses.sums.requests),
          why_banks_conflict(costly));
    case AccessCost::same_address:
      return fmt::format(
          "{} lanes of a warp update one address and wait for each other; with an address each, none would wait",
          mean_of(accesses, accesses.sums.max_same_address));
    case AccessCost::idle_lanes:
      break;
  }
  return few_lanes_text(accesses) + "; the others take another path, or have nothing to do";
}

// Returns whether what_happens() already mentions inactive lanes, for an access with few active ones. The
// case of sectors follows why_many_sectors().
bool mentions_few_lanes(const CostlyAccess& costly) {
  if (costly.cost == AccessCost::sectors) return !leaves_gaps(costly, stride_of(costly).value_or(0));
  return costly.cost == AccessCost::idle_lanes;
}

}  // namespace

std::string mean_text(std::uint64_t sum, std::uint64_t requests) {
  if (requests == 0) return not_available;
  if (sum % requests == 0) return grouped(sum / requests);
  return three_digits(static_cast<double>(sum) / static_cast<double>(requests));
}

std::string costly_access_text(const CostlyAccess& costly) {
  const LineAccesses& accesses = costly.accesses;
  std::string text = fmt::format("{}, {}: {}.", line_text(accesses.line, accesses.file),
                                 name_of(accesses.kind), what_happens(costly));
  if (has_few_lanes(accesses) && !mentions_few_lanes(costly))
    text += " Besides, " + few_lanes_text(accesses) + ".";
  return text;
}

}  // namespace gpulab::run
