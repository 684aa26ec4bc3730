#include "report/table.hpp"

#include <algorithm>
#include <numeric>

#include "report/layout.hpp"

namespace gpulab::report {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_prose_width = 30;
constexpr std::size_t prose_indent = 4;

std::size_t total_width(const std::vector<std::size_t>& widths) {
  if (widths.empty()) return 0;
  return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string aligned(const Cell& cell, Align align, std::size_t width, const TextStyle& style) {
  const std::string text = cut(cell.text, width);
  const std::string padding(width - display_width(text), ' ');
  const std::string ink = painted(text, cell.ink, style);
  return align == Align::left ? ink + padding : padding + ink;
}

std::string lines_of(const std::vector<std::string>& lines, std::size_t indent) {
  std::string result;
  for (const std::string& line : lines) result += std::string(indent, ' ') + line + "\n";
  return result;
}

}  // namespace

void Table::add(std::vector<Cell> cells, std::string prose) {
  rows_.push_back({std::move(cells), std::move(prose)});
}

std::size_t Table::natural_width(std::size_t column) const {
  std::size_t width = display_width(columns_[column].title);
  for (const Row& row : rows_)
    if (column < row.cells.size()) width = std::max(width, display_width(row.cells[column].text));
  return width;
}

std::size_t Table::least_width(std::size_t column) const {
  const std::size_t natural = natural_width(column);
  const std::size_t least = columns_[column].cut_to;
  return least > 0 ? std::min(natural, least) : natural;
}

Table::Layout Table::layout(std::size_t width) const {
  Layout layout;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    layout.columns.push_back(column);
    layout.widths.push_back(least_width(column));
  }
  const auto less_important = [&](std::size_t a, std::size_t b) {
    return columns_[a].priority < columns_[b].priority;
  };
  while (!layout.columns.empty() && total_width(layout.widths) > width) {
    const auto last = std::max_element(layout.columns.begin(), layout.columns.end(), less_important);
    if (columns_[*last].priority == 0) break;
    layout.widths.erase(layout.widths.begin() + (last - layout.columns.begin()));
    layout.columns.erase(last);
  }
  fit(layout, width);
  return layout;
}

// The column that may be cut gets what the others leave. What cannot be left out is cut there or else in the
// first column, the names.
void Table::fit(Layout& layout, std::size_t width) const {
  const auto left = [&] { return static_cast<std::ptrdiff_t>(width - total_width(layout.widths)); };
  for (std::size_t shown = 0; shown < layout.columns.size(); ++shown) {
    if (columns_[layout.columns[shown]].cut_to == 0) continue;
    const auto wanted = static_cast<std::ptrdiff_t>(layout.widths[shown]) + left();
    layout.widths[shown] = std::min(natural_width(layout.columns[shown]),
                                    static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted, 1)));
  }
  if (layout.columns.empty() || left() >= 0) return;
  layout.widths.front() -= std::min(layout.widths.front(), static_cast<std::size_t>(-left()));
}

std::string Table::title_line(const Layout& layout, const TextStyle& style) const {
  Row titles;
  for (const Column& column : columns_) titles.cells.push_back({column.title, Ink::bold});
  return row_lines(titles, layout, style);
}

std::string Table::row_lines(const Row& row, const Layout& layout, const TextStyle& style) const {
  std::string line;
  std::size_t start = 0;  // column of the terminal where prose would begin
  for (std::size_t shown = 0; shown < layout.columns.size(); ++shown) {
    const std::size_t column = layout.columns[shown];
    if (column >= row.cells.size()) break;
    if (shown > 0) line += std::string(gap, ' ');
    line += aligned(row.cells[column], columns_[column].align, layout.widths[shown], style);
    start += layout.widths[shown] + gap;
  }
  const bool blank = line.find_first_not_of(' ') == std::string::npos;
  if (row.prose.empty()) return without_trailing_spaces(line) + "\n";
  if (start + least_prose_width > style.width) {
    const std::string prose = lines_of(wrapped(row.prose, style.width - prose_indent), prose_indent);
    return (blank ? "" : without_trailing_spaces(line) + "\n") + prose;
  }
  line += std::string(gap, ' ');
  return line + lines_of(wrapped(row.prose, style.width - start), start).substr(start);
}

std::string Table::text(const TextStyle& style) const {
  const Layout shown = layout(style.width);
  std::string result = title_line(shown, style);
  for (const Row& row : rows_) result += row_lines(row, shown, style);
  return result;
}

std::string Table::legend(const TextStyle& style) const {
  std::string result;
  for (const std::size_t column : layout(style.width).columns) {
    const std::string& legend = columns_[column].legend;
    if (!legend.empty()) result += (result.empty() ? "" : " · ") + legend;
  }
  return result;
}

}  // namespace gpulab::report
