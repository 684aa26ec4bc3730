#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/text.hpp"
#include "report/inspection_parts.hpp"
#include "report/quantity_text.hpp"
#include "report/source.hpp"

namespace gpulab::report {
namespace {

// Red for twice what would do, yellow for a fifth more.
Ink ink_of(std::uint64_t actual, std::uint64_t min) {
  if (actual >= 2 * min) return Ink::red;
  return 5 * actual >= 6 * min ? Ink::yellow : Ink::plain;
}

Cell mean_cell(std::uint64_t sum, std::uint64_t min, const AccessSums& sums) {
  return {mean_text(sum, sums.requests), ink_of(sum, min)};
}

// In three digits where it is no whole number: an eighth should be seen for what it is.
std::string efficiency_text(double part) {
  const double percent = 100 * part;
  return (percent == std::round(percent) ? with_decimals(percent, 0) : three_digits(percent)) + " %";
}

Cell efficiency_cell(const LineAccesses& accesses) {
  return {efficiency_text(wanted_part_of_sectors(accesses.sums)),
          ink_of(accesses.sums.sectors, accesses.pattern.min_sectors)};
}

std::uint64_t min_of(const LineAccesses& accesses) {
  return is_shared(accesses.kind) ? accesses.pattern.min_bank_wavefronts : accesses.pattern.min_sectors;
}

}  // namespace

AccessColumns::AccessColumns(const AccessCounts& counts) {
  for (const LineAccesses& accesses : counts.lines) {
    (is_shared(accesses.kind) ? has_shared_ : has_global_) = true;
    has_atomics_ = has_atomics_ || is_atomic(accesses.kind);
  }
}

std::vector<Column> AccessColumns::columns() const {
  std::vector<Column> columns{
      {"access"}, {"requests", Align::right, 5, "requests: one for each time that a warp runs the line"}};
  if (has_global_)
    columns.push_back(
        {"sectors", Align::right, 0, "sectors: 32-byte pieces of global memory for each request"});
  if (has_shared_)
    columns.push_back(
        {"ways", Align::right, 0, "ways: passes over the banks of shared memory for each request"});
  columns.push_back({"best", Align::right, 3, "best: the fewest that are needed"});
  if (has_global_)
    columns.push_back({"used", Align::right, 1, "used: share of the fetched bytes that is used"});
  if (has_atomics_)
    columns.push_back(
        {"same", Align::right, 2, "same: lanes of an atomic that meet at one address; 1 is best"});
  columns.push_back({"lanes", Align::right, 4, "lanes: active lanes of 32"});
  return columns;
}

std::vector<Cell> AccessColumns::cells(const LineAccesses& accesses) const {
  const AccessSums& sums = accesses.sums;
  const bool shared = is_shared(accesses.kind), atomic = is_atomic(accesses.kind);
  const std::uint64_t min = min_of(accesses);
  std::vector<Cell> cells{{std::string(name_of(accesses.kind))}, {grouped(sums.requests)}};
  if (has_global_) cells.push_back(shared ? Cell{} : mean_cell(sums.sectors, min, sums));
  if (has_shared_) cells.push_back(shared ? mean_cell(sums.bank_wavefronts, min, sums) : Cell{});
  cells.push_back({mean_text(min, sums.requests)});
  if (has_global_) cells.push_back(shared ? Cell{} : efficiency_cell(accesses));
  if (has_atomics_) cells.push_back(atomic ? mean_cell(sums.max_same_address, sums.requests, sums) : Cell{});
  cells.push_back(
      {mean_text(sums.active_lanes, sums.requests), ink_of(32 * sums.requests, sums.active_lanes)});
  return cells;
}

std::vector<Cell> AccessColumns::empty_cells() const {
  return std::vector<Cell>(columns().size());
}

namespace {

std::vector<PartLines> inspected_parts(const VariantInspection& variant) {
  std::vector<PartLines> parts = lines_of_parts(variant.source);
  std::erase_if(parts, [&](const PartLines& part) {
    return part.name != variant.result.kernel &&
           std::ranges::none_of(variant.counts.lines, [&](const LineAccesses& accesses) {
             return accesses.line >= part.first && accesses.line <= part.last;
           });
  });
  return parts;
}

}  // namespace

std::vector<InspectedLine> inspected_lines(const VariantInspection& variant) {
  std::vector<InspectedLine> lines;
  for (const LineAccesses& accesses : variant.counts.lines) {
    if (lines.empty() || lines.back().number != accesses.line) lines.push_back({accesses.line, {}});
    lines.back().accesses.push_back(accesses);
  }
  return lines;
}

std::vector<InspectedLine> inspected_functions(const VariantInspection& variant) {
  const std::vector<InspectedLine> accessing = inspected_lines(variant);
  const int last = static_cast<int>(source_lines(variant.source).size());
  std::vector<InspectedLine> lines;
  for (const PartLines& part : inspected_parts(variant))
    for (int number = part.first; number <= std::min(part.last, last); ++number) {
      const auto found = std::ranges::find(accessing, number, &InspectedLine::number);
      lines.push_back(found == accessing.end() ? InspectedLine{number, {}} : *found);
    }
  return lines;
}

std::vector<std::string> inspected_kernels(const VariantInspection& variant) {
  std::vector<std::string> names;
  for (const PartLines& part : inspected_parts(variant))
    if (part.is_kernel) names.push_back(part.name);
  return names;
}

namespace {

void append(std::vector<Cell>& cells, std::vector<Cell> more) {
  std::ranges::move(more, std::back_inserter(cells));
}

Cell number_cell(int line) {
  return {line > 0 ? std::to_string(line) : "?", Ink::faint};
}

std::string without_indentation(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

}  // namespace

AccessColumns columns_for(const Inspection& inspection) {
  AccessCounts all;
  for (const VariantInspection& variant : inspection.variants)
    for (const LineAccesses& accesses : variant.counts.lines) all.add(accesses);
  return AccessColumns(all);
}

Table table_of_accesses(const VariantInspection& variant, const AccessColumns& columns) {
  std::vector<Column> all{{"line", Align::right}};
  std::ranges::move(columns.columns(), std::back_inserter(all));
  all.push_back({.title = "source", .cut_to = 16});
  Table table(std::move(all));
  const std::vector<std::string> lines = source_lines(variant.source);
  int last = -1;
  for (const LineAccesses& accesses : variant.counts.lines) {
    const bool is_new = std::exchange(last, accesses.line) != accesses.line;
    std::vector<Cell> cells{is_new ? number_cell(accesses.line) : Cell{}};
    append(cells, columns.cells(accesses));
    if (is_new) cells.push_back({without_indentation(source_line(lines, accesses.line))});
    table.add(std::move(cells));
  }
  return table;
}

Table table_of_source(const VariantInspection& variant, const AccessColumns& columns) {
  std::vector<Column> all = columns.columns();
  all.push_back({"line", Align::right});
  all.push_back({.title = "source", .cut_to = 48});
  Table table(std::move(all));
  const std::vector<std::string> lines = source_lines(variant.source);
  int last = 0;
  for (const InspectedLine& line : inspected_functions(variant)) {
    if (last > 0 && line.number > last + 1) table.add({});
    last = line.number;
    std::vector<Cell> cells =
        line.accesses.empty() ? columns.empty_cells() : columns.cells(line.accesses.front());
    cells.push_back(number_cell(line.number));
    cells.push_back({source_line(lines, line.number)});
    table.add(std::move(cells));
    for (std::size_t i = 1; i < line.accesses.size(); ++i) table.add(columns.cells(line.accesses[i]));
  }
  return table;
}

}  // namespace gpulab::report
