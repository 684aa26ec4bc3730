#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/layout.hpp"

namespace gpulab::report {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  int priority = 0;  // 0 always stays; of the others the highest goes first where the terminal is narrow
  std::string legend = {};  // what the title does not say
  std::size_t cut_to = 0;   // the least width of a column that gets what the others leave, and is cut there
};

struct Cell {
  std::string text;
  Ink ink = Ink::plain;
};

// Lays rows out in columns. It never writes a line that is longer than the style's width.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Prose takes the place of the cells that are left out on the right, or stands below the row when there
  // is no room for it.
  void add(std::vector<Cell> cells, std::string prose = "");

  std::string text(const TextStyle& style) const;

  // The legends of the columns that are shown, joined.
  std::string legend(const TextStyle& style) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string prose;
  };

  // The columns that are shown at some width, and how wide each is.
  struct Layout {
    std::vector<std::size_t> columns;
    std::vector<std::size_t> widths;
  };

  Layout layout(std::size_t width) const;
  void fit(Layout& layout, std::size_t width) const;
  std::size_t natural_width(std::size_t column) const;
  std::size_t least_width(std::size_t column) const;
  std::string title_line(const Layout& layout, const TextStyle& style) const;
  std::string row_lines(const Row& row, const Layout& layout, const TextStyle& style) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace gpulab::report
