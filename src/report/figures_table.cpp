#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/text.hpp"
#include "report/layout.hpp"
#include "report/lesson_parts.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"

namespace gpulab::report {
namespace {

std::string title_of(const Figure& figure) {
  return figure.unit.empty() ? figure.name : figure.name + ", " + figure.unit;
}

// Figures of a smaller size would stand beside others that they cannot be compared with.
bool has_figures(const VariantResult& variant, std::size_t asked_size) {
  return variant.size == asked_size && !variant.findings.figures.empty();
}

// Every figure's title once, in the order in which they first come.
std::vector<std::string> titles(const LessonResult& result) {
  std::vector<std::string> all;
  for (const VariantResult& variant : result.variants)
    for (const Figure& figure : variant.findings.figures)
      if (has_figures(variant, result.size) && std::ranges::find(all, title_of(figure)) == all.end())
        all.push_back(title_of(figure));
  return all;
}

Cell cell_for(const VariantResult& variant, const std::string& title, const LessonChanges& changes) {
  for (const Figure& figure : variant.findings.figures)
    if (title_of(figure) == title) return changes.figure(variant, figure);
  return {not_available, Ink::faint};
}

Table table_of(const LessonResult& result, std::span<const std::string> shown, const LessonChanges& changes) {
  std::vector<Column> columns{{"variant"}};
  for (const std::string& title : shown) columns.push_back({title, Align::right});
  Table table(std::move(columns));
  for (const VariantResult& variant : result.variants) {
    if (!has_figures(variant, result.size)) continue;
    std::vector<Cell> cells{changes.name(variant)};
    for (const std::string& title : shown) cells.push_back(cell_for(variant, title, changes));
    table.add(std::move(cells));
  }
  return table;
}

std::size_t width_of_column(const LessonResult& result, const std::string& title,
                            const LessonChanges& changes) {
  std::size_t width = display_width(title);
  for (const VariantResult& variant : result.variants)
    if (has_figures(variant, result.size))
      width = std::max(width, display_width(cell_for(variant, title, changes).text));
  return width;
}

// How many of these titles fit side by side, one at least: the rest has a table of its own below.
std::size_t fitting(const LessonResult& result, const std::vector<std::string>& shown, unsigned width,
                    const LessonChanges& changes) {
  constexpr std::size_t gap = 2;
  std::size_t used = 0;
  for (const VariantResult& variant : result.variants)
    used = std::max(used, display_width(changes.name(variant).text));
  for (std::size_t count = 0; count < shown.size(); ++count) {
    used += gap + width_of_column(result, shown[count], changes);
    if (used > width) return std::max<std::size_t>(count, 1);
  }
  return shown.size();
}

}  // namespace

std::string figures_table(const LessonResult& result, const TextStyle& style, const LessonChanges& changes) {
  std::vector<std::string> left = titles(result);
  std::string text;
  while (!left.empty()) {
    const std::size_t count = fitting(result, left, style.width, changes);
    text += (text.empty() ? "" : "\n") + table_of(result, std::span(left).first(count), changes).text(style);
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return text;
}

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

}  // namespace gpulab::report
