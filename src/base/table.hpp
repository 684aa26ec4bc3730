#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

// Capabilities of the terminal that a report is written for.
struct TextStyle {
  bool colour = false;
  unsigned width = 100;  // columns; at least 40
};

enum class Ink { plain, bold, faint, red, green, yellow, blue, magenta, cyan };

// Wraps the text in ANSI escapes for the ink, unless the style has no colour.
std::string painted(std::string_view text, Ink ink, const TextStyle& style);

// Returns the terminal columns of UTF-8 text: names have wide letters and combining accents.
std::size_t display_width(std::string_view text);

// Returns as much of the beginning as fits into that many columns, with an ellipsis if cut.
std::string cut(std::string_view text, std::size_t width);

// Replaces control characters in a learner's text, such as a file name, so that it is one harmless line.
std::string without_controls(const std::string& text);

// Breaks the text into lines of at most width columns and indents all but the first. Keeps line breaks, does
// not break a number such as "33 554 432", and splits words that are too long.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// Wraps at the style's width, indents all lines but the first, and ends with a line break.
std::string paragraph(const std::string& text, Ink ink, const TextStyle& style);

// Formats "label: text" with only the label in colour.
std::string labelled(const std::string& label, Ink ink, const std::string& text, const TextStyle& style);

// Formats what `by`, such as "the kernel", has printed: a heading and at most max_lines lines, or one more if
// it is the last, each prefixed by set_apart() and cut to the width. Returns "" if it printed nothing.
std::string printed_text(const std::string& by, const std::string& output, std::size_t max_lines,
                         const TextStyle& style);

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  int priority = 0;         // 0: always shown; otherwise the highest is dropped first on a narrow terminal
  std::string legend = {};  // explains the title
  std::size_t cut_to = 0;   // minimum width if the column may be cut; it gets the space that is left
  bool wraps = false;       // of the last column, with cut_to: its text is wrapped like prose, and not cut
};

struct Cell {
  std::string text;
  Ink ink = Ink::plain;
};

// Rows laid out in columns, never wider than the style's width. Columns that do not fit are left out: first
// those that are the same in all rows, then those of the highest priority. Those that tell rows apart stay.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Prose takes the place of missing cells on the right, or goes below the row if there is no room.
  void add(std::vector<Cell> cells, std::string prose = "");

  std::string text(const TextStyle& style) const;

  // Returns whether the columns that are always shown have room.
  bool fits(std::size_t width) const;

  // Returns the legends of the columns shown, joined.
  std::string legend(const TextStyle& style) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string prose;
  };

  // The columns shown at some width, and their widths.
  struct Layout {
    std::vector<std::size_t> columns;
    std::vector<std::size_t> widths;
  };

  Layout layout(std::size_t width) const;
  std::optional<std::size_t> least_important(const std::vector<std::size_t>& shown) const;
  std::size_t distinct_rows(const std::vector<std::size_t>& columns) const;
  void fit(Layout& layout, std::size_t width) const;
  std::size_t natural_width(std::size_t column) const;
  std::size_t min_width(std::size_t column) const;
  std::string title_line(const Layout& layout, const TextStyle& style) const;
  std::string row_lines(const Row& row, const Layout& layout, const TextStyle& style) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Draws a bar of block characters, in eighths of a column, as long as the fraction (0 to 1), but never empty.
std::string bar_text(double fraction, std::size_t columns);

// Format of CSV tables for pandas, R and spreadsheets.
struct CsvForm {
  const char* line_end = "\n";
  bool is_for_spreadsheets = true;  // keeps them from reading text as a formula
};
inline constexpr CsvForm rfc_4180{.line_end = "\r\n", .is_for_spreadsheets = false};

// Formats one line, with its line end. Quotes fields as RFC 4180 requires.
std::string csv_line(const std::vector<std::string>& fields, const CsvForm& form = {});

// Returns the shortest digits that round-trip; empty for values that are missing or not finite.
std::string csv_number(std::optional<double> value);

// Formats a table cell: one line, with Markdown and HTML escaped.
std::string markdown_cell(const std::string& text);

// Formats "| a | b |" with a line break.
std::string markdown_row(const std::vector<std::string>& cells);

}  // namespace gpulab
