#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

// What the terminal that a report is written for can show.
struct TextStyle {
  bool colour = false;
  unsigned width = 100;  // columns; at least 40
};

enum class Ink { plain, bold, faint, red, green, yellow, blue, magenta, cyan };

// The text between the ANSI escapes for the ink, or just the text when the style has no colour.
std::string painted(std::string_view text, Ink ink, const TextStyle& style);

// Columns that UTF-8 text takes on a terminal, one for every code point: the reports use no wide characters.
std::size_t display_width(std::string_view text);

// As much of the beginning as fits into that many columns, with an ellipsis when something is left out.
std::string cut(std::string_view text, std::size_t width);

// In one line, with nothing that could be an instruction to a terminal, or to what reads lines: a learner
// chooses what a kernel prints and what a file is called.
std::string without_controls(std::string text);

// Lines of at most width columns, all but the first indented by that many spaces. Line breaks in the text
// stay; the spaces of a number such as "33 554 432" do not become breaks; longer words are broken.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// Wrapped at the style's width, all lines but the first indented, and ended with a line break.
std::string paragraph(const std::string& text, Ink ink, const TextStyle& style);

// "label: text", of which only the label has colour.
std::string labelled(const std::string& label, Ink ink, const std::string& text, const TextStyle& style);

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
  std::size_t min_width(std::size_t column) const;
  std::string title_line(const Layout& layout, const TextStyle& style) const;
  std::string row_lines(const Row& row, const Layout& layout, const TextStyle& style) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// A bar of block characters, in eighths of a column: so much of the columns as the fraction says, from 0 to
// 1, but never nothing.
std::string bar_text(double fraction, std::size_t columns);

// Tables in CSV, for pandas, R and spreadsheets.

struct CsvForm {
  const char* line_end = "\n";
  bool is_for_spreadsheets = true;  // which must not take a text for a formula
};
inline constexpr CsvForm rfc_4180{.line_end = "\r\n", .is_for_spreadsheets = false};

// One line, ended. As RFC 4180 has it, a field is quoted if it would be misread otherwise.
std::string csv_line(const std::vector<std::string>& fields, const CsvForm& form = {});

// The shortest digits that are the same number when they are read; empty for what was not measured or is not
// finite.
std::string csv_number(std::optional<double> value);

// A text for a cell of a table: in one line, and with nothing that Markdown or HTML would take for itself.
std::string markdown_cell(const std::string& text);

// "| a | b |", and a line break.
std::string markdown_row(const std::vector<std::string>& cells);

}  // namespace gpulab
