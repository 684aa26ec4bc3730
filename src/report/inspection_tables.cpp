#include "report/inspection_tables.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "report/inspected_lines.hpp"
#include "report/source_lines.hpp"

namespace gpulab {
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

}  // namespace gpulab
