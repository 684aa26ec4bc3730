#include "base/table.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace gpulab {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t min_prose_width = 30;
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
  const std::string shown = painted(text, cell.ink, style);
  return align == Align::left ? shown + padding : padding + shown;
}

std::string indented(const std::vector<std::string>& lines, std::size_t indent) {
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

std::size_t Table::min_width(std::size_t column) const {
  const std::size_t natural = natural_width(column);
  const std::size_t cut_width = columns_[column].cut_to;
  return cut_width > 0 ? std::min(natural, cut_width) : natural;
}

Table::Layout Table::layout(std::size_t width) const {
  Layout layout;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    layout.columns.push_back(column);
    layout.widths.push_back(min_width(column));
  }
  while (total_width(layout.widths) > width) {
    const auto dropped = least_important(layout.columns);
    if (!dropped) break;
    layout.widths.erase(layout.widths.begin() + static_cast<std::ptrdiff_t>(*dropped));
    layout.columns.erase(layout.columns.begin() + static_cast<std::ptrdiff_t>(*dropped));
  }
  fit(layout, width);
  return layout;
}

// Returns the index, among the shown columns, of the column to leave out next: a column that is the same in
// all rows, else the column with the highest priority. Keeps what tells two rows apart. None if all are
// needed.
std::optional<std::size_t> Table::least_important(const std::vector<std::size_t>& shown) const {
  const std::size_t rows = distinct_rows(shown);
  std::optional<std::size_t> found;
  std::pair<bool, int> found_rank;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const int priority = columns_[shown[i]].priority;
    const bool is_same = rows_.size() > 1 && distinct_rows({shown[i]}) == 1;
    if (priority == 0) continue;
    std::vector<std::size_t> others = shown;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (distinct_rows(others) < rows) continue;
    const std::pair rank(is_same, priority);
    if (found && found_rank > rank) continue;
    found = i;
    found_rank = rank;
  }
  return found;
}

// Returns how many rows differ in these columns. Rows that end in prose are not compared.
std::size_t Table::distinct_rows(const std::vector<std::size_t>& columns) const {
  std::set<std::vector<std::string_view>> distinct;
  for (const Row& row : rows_) {
    if (row.cells.size() < columns_.size()) continue;
    std::vector<std::string_view> texts;
    for (const std::size_t column : columns) texts.push_back(row.cells[column].text);
    distinct.insert(texts);
  }
  return distinct.size();
}

// Gives the column that may be cut the space left by the others. If the rest is still too wide, cuts the
// first column, the names.
void Table::fit(Layout& layout, std::size_t width) const {
  const auto spare = [&] { return static_cast<std::ptrdiff_t>(width - total_width(layout.widths)); };
  for (std::size_t shown = 0; shown < layout.columns.size(); ++shown) {
    if (columns_[layout.columns[shown]].cut_to == 0) continue;
    const auto wanted = static_cast<std::ptrdiff_t>(layout.widths[shown]) + spare();
    layout.widths[shown] = std::min(natural_width(layout.columns[shown]),
                                    static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted, 1)));
  }
  if (layout.columns.empty() || spare() >= 0) return;
  layout.widths.front() -= std::min(layout.widths.front(), static_cast<std::size_t>(-spare()));
}

std::string Table::title_line(const Layout& layout, const TextStyle& style) const {
  Row titles;
  for (const Column& column : columns_) titles.cells.push_back({column.title, Ink::bold});
  return row_lines(titles, layout, style);
}

std::string Table::row_lines(const Row& row, const Layout& layout, const TextStyle& style) const {
  std::string line, prose = row.prose;
  std::size_t hang = 0;
  std::size_t start = 0;  // terminal column where prose would begin
  for (std::size_t shown = 0; shown < layout.columns.size(); ++shown) {
    const std::size_t column = layout.columns[shown];
    if (column >= row.cells.size()) break;
    if (columns_[column].wraps && display_width(row.cells[column].text) > layout.widths[shown]) {
      prose = row.cells[column].text;
      hang = prose.find_first_not_of(' ') + prose_indent;
      break;
    }
    if (shown > 0) line += std::string(gap, ' ');
    line += aligned(row.cells[column], columns_[column].align, layout.widths[shown], style);
    start += layout.widths[shown] + gap;
  }
  const bool is_blank = line.find_first_not_of(' ') == std::string::npos;
  if (prose.empty()) return without_trailing_spaces(line) + "\n";
  if (start + min_prose_width > style.width) {
    const std::string below = indented(wrapped(prose, style.width - prose_indent, hang), prose_indent);
    return (is_blank ? "" : without_trailing_spaces(line) + "\n") + below;
  }
  line += std::string(gap, ' ');
  return line + indented(wrapped(prose, style.width - start, hang), start).substr(start);
}

std::string Table::text(const TextStyle& style) const {
  const Layout shown = layout(style.width);
  std::string result = title_line(shown, style);
  for (const Row& row : rows_) result += row_lines(row, shown, style);
  return result;
}

bool Table::fits(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column)
    if (columns_[column].priority == 0) widths.push_back(min_width(column));
  return total_width(widths) <= width;
}

std::string Table::legend(const TextStyle& style) const {
  std::string result;
  for (const std::size_t column : layout(style.width).columns) {
    const std::string& legend = columns_[column].legend;
    if (!legend.empty()) result += (result.empty() ? "" : " · ") + legend;
  }
  return result;
}

namespace {

constexpr Named<Ink> ink_escapes[] = {
    {Ink::plain, ""},         {Ink::bold, "\x1b[1m"},     {Ink::faint, "\x1b[2m"},
    {Ink::red, "\x1b[1;31m"}, {Ink::green, "\x1b[32m"},   {Ink::yellow, "\x1b[33m"},
    {Ink::blue, "\x1b[34m"},  {Ink::magenta, "\x1b[35m"}, {Ink::cyan, "\x1b[36m"}};
static_assert(names_every(ink_escapes, Ink::cyan));

}  // namespace

std::string painted(std::string_view text, Ink ink, const TextStyle& style) {
  const std::string_view escape = name_in(ink_escapes, ink);
  if (!style.colour || escape.empty() || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape, text);
}

namespace {

// A character of a text, or a byte that is not valid UTF-8, and the columns that it takes on a terminal.
struct Letter {
  std::size_t bytes = 1, columns = 1;
};

// Returns the first letter with its columns: 2 for 王, 0 for a combining accent. The C library knows the
// columns in a UTF-8 locale, which is set for this thread and this call only.
Letter first_letter(std::string_view text) {
  const CodePoint letter = first_code_point(text);
  if (letter.bytes < 2) return {};
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (!utf8) return {.bytes = letter.bytes};
  const locale_t previous = ::uselocale(utf8);
  const int columns = ::wcwidth(static_cast<wchar_t>(letter.value));
  ::uselocale(previous);
  return {letter.bytes, columns < 0 ? 1 : static_cast<std::size_t>(columns)};
}

bool is_decimal_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

// Returns the bytes at the beginning that take at most that many columns.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Letter letter = first_letter(text.substr(bytes));
    if (letter.columns > columns) break;
    columns -= letter.columns;
    bytes += letter.bytes;
  }
  return bytes;
}

// Returns whether a line may end there: at a blank, but not in "33 554" or "5 %".
bool may_break_at(std::string_view text, std::size_t position) {
  if (text[position] != ' ') return false;
  if (position == 0 || position + 1 == text.size()) return true;
  const bool continues_number = is_decimal_digit(text[position + 1]) || text[position + 1] == '%';
  return !is_decimal_digit(text[position - 1]) || !continues_number;
}

// Returns the end of the first line: the last break within the columns. Without one, breaks code after a
// statement, an argument or a bracket, and other words anywhere.
std::size_t end_of_first_line(std::string_view text, std::size_t columns) {
  const std::size_t bytes_that_fit = bytes_within(text, columns);
  if (bytes_that_fit == text.size()) return bytes_that_fit;
  for (std::size_t position = bytes_that_fit; position > 0; --position)
    if (may_break_at(text, position) && text.find_first_not_of(' ') < position) return position;
  for (const std::string_view ends : {";{}", ",", "()"})
    if (const std::size_t last = text.substr(0, bytes_that_fit).find_last_of(ends);
        last != std::string_view::npos && 2 * last > bytes_that_fit)
      return last + 1;
  return std::max(bytes_that_fit, first_letter(text).bytes);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Letter letter = first_letter(text.substr(at));
    columns += letter.columns;
    at += letter.bytes;
  }
  return columns;
}

std::string without_controls(const std::string& text) {
  return printable(replaced(text, '\t', ' '));
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  return std::string(text.substr(0, bytes_within(text, width - 1))) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view paragraph = text.substr(0, text.find('\n'));
    std::string_view rest = paragraph;
    do {
      const std::size_t margin = lines.empty() || rest.empty() ? 0 : indent;
      const std::size_t end = end_of_first_line(rest, width > margin ? width - margin : 1);
      lines.push_back(std::string(margin, ' ') + std::string(rest.substr(0, end)));
      rest.remove_prefix(end);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    } while (!rest.empty());
    text.remove_prefix(std::min(paragraph.size() + 1, text.size()));
  }
  return lines;
}

std::string paragraph(const std::string& text, Ink ink, const TextStyle& style) {
  std::string result;
  for (const std::string& line : wrapped(text, style.width, 2)) result += painted(line, ink, style) + "\n";
  return result;
}

std::string labelled(const std::string& label, Ink ink, const std::string& text, const TextStyle& style) {
  std::string result = paragraph(label + ": " + text, Ink::plain, style);
  if (result.starts_with(label)) result.replace(0, label.size(), painted(label, ink, style));
  return result;
}

std::string printed_text(const std::string& by, const std::string& output, std::size_t max_lines,
                         const TextStyle& style) {
  if (output.empty()) return "";
  const std::vector<std::string> lines = lines_of(output);
  std::string text = fmt::format("printed by {}:\n", by);
  // A line that counts a single one would be as long.
  const std::size_t shown = lines.size() > max_lines + 1 ? max_lines : lines.size();
  for (std::size_t i = 0; i < shown; ++i)
    text += cut(set_apart(without_controls(lines[i])), style.width) + "\n";
  if (shown < lines.size()) text += fmt::format("  ({} more lines)\n", grouped(lines.size() - shown));
  return text;
}

std::string bar_text(double fraction, std::size_t columns) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double wanted = std::clamp(fraction, 0.0, 1.0) * 8 * static_cast<double>(columns);
  const auto eighths = static_cast<std::size_t>(std::max(std::lround(wanted), 1L));
  std::string bar;
  for (std::size_t whole = 0; whole < eighths / 8; ++whole) bar += "█";
  return bar + parts[eighths % 8];
}

namespace {

// Returns whether a spreadsheet would take the text for a formula (CSV injection), as a learner's folder may
// be named.
bool is_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@").find(text.front()) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return text.size() > 1 && *end != '\0';
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return result + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields, const CsvForm& form) {
  std::string line;
  for (const std::string& field : fields) {
    const bool is_guarded = form.is_for_spreadsheets && is_formula(field);
    line += (&field == &fields.front() ? "" : ",") + csv_field(is_guarded ? "'" + field : field);
  }
  return line + form.line_end;
}

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string markdown_cell(const std::string& text) {
  constexpr std::string_view special_characters = "|\\`*_[]#~";
  std::string cell;
  for (const char letter : text) {
    if (letter == '<')
      cell += "&lt;";
    else if (letter == '&')
      cell += "&amp;";
    else if (static_cast<unsigned char>(letter) < ' ')
      cell += ' ';
    else
      cell += special_characters.find(letter) == special_characters.npos ? std::string(1, letter)
                                                                         : std::string{'\\', letter};
  }
  return cell;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

}  // namespace gpulab
