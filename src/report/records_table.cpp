#include "report/records_table.hpp"

#include <algorithm>

#include "core/number_text.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"

namespace gpulab {
namespace {

// More than these nobody reads in a terminal; files and JSON have them all.
constexpr std::size_t rows_shown = 10;

}  // namespace

std::string records_text(const LessonResult& result, const TextStyle& style) {
  if (!result.records) return "";
  const auto& [columns, units, rows] = *result.records;
  std::vector<Column> titles;
  for (std::size_t i = 0; i < columns.size(); ++i)
    titles.push_back(
        {units[i].empty() ? columns[i] : columns[i] + ", " + units[i], Align::right, static_cast<int>(i)});
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

}  // namespace gpulab
