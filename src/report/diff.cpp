#include "report/diff.hpp"
#include "core/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>
#include <sstream>

#include "report/layout.hpp"

namespace gpulab::report {
namespace {

using Lines = std::span<const std::string>;

constexpr std::size_t max_cells = 4'000'000;

// lengths[i][j]: of the longest common subsequence of what is left of each after its first i and j lines.
using Lengths = std::vector<std::vector<unsigned>>;

Lengths common_lengths(Lines left, Lines right) {
  Lengths lengths(left.size() + 1, std::vector<unsigned>(right.size() + 1));
  for (std::size_t i = left.size(); i-- > 0;)
    for (std::size_t j = right.size(); j-- > 0;)
      lengths[i][j] =
          left[i] == right[j] ? lengths[i + 1][j + 1] + 1 : std::max(lengths[i + 1][j], lengths[i][j + 1]);
  return lengths;
}

void add_differing(std::vector<DiffRow>& rows, Lines left, Lines right) {
  if (left.size() * right.size() > max_cells) {
    for (const std::string& line : left) rows.push_back({line, std::nullopt});
    for (const std::string& line : right) rows.push_back({std::nullopt, line});
    return;
  }
  const Lengths lengths = common_lengths(left, right);
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const bool both = i < left.size() && j < right.size();
    if (both && left[i] == right[j])
      rows.push_back({left[i++], right[j++]});
    else if (j == right.size() || (both && lengths[i + 1][j] >= lengths[i][j + 1]))
      rows.push_back({left[i++], std::nullopt});
    else
      rows.push_back({std::nullopt, right[j++]});
  }
}

}  // namespace

std::vector<DiffRow> line_diff(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  std::vector<DiffRow> rows;
  const auto first = std::ranges::mismatch(left, right);
  for (auto line = left.begin(); line != first.in1; ++line) rows.push_back({*line, *line});
  Lines rest_left(first.in1, left.end()), rest_right(first.in2, right.end());
  std::size_t same = 0;
  while (same < std::min(rest_left.size(), rest_right.size()) &&
         rest_left[rest_left.size() - 1 - same] == rest_right[rest_right.size() - 1 - same])
    ++same;
  add_differing(rows, rest_left.first(rest_left.size() - same), rest_right.first(rest_right.size() - same));
  for (const std::string& line : rest_left.last(same)) rows.push_back({line, line});
  return rows;
}

std::vector<DiffRow> paired(const std::vector<DiffRow>& rows) {
  std::vector<DiffRow> result;
  std::size_t waiting = 0;  // rows at the end of the result that have a left line and room for a right one
  for (const DiffRow& row : rows) {
    if (!row.left && waiting > 0) {
      result[result.size() - waiting--].right = row.right;
      continue;
    }
    waiting = row.right ? 0 : waiting + 1;
    result.push_back(row);
  }
  return result;
}

namespace {

constexpr std::size_t gutter = 3;  // " | "

std::string with_tabs_expanded(const std::string& line) {
  constexpr std::size_t tab = 8;
  std::string text;
  for (const char letter : line)
    text += letter == '\t' ? std::string(tab - text.size() % tab, ' ') : std::string(1, letter);
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, display_width(text)), ' ');
}

std::vector<std::string> cells_of(const std::optional<std::string>& line, std::size_t width) {
  return line ? wrapped(with_tabs_expanded(*line), width, 4) : std::vector<std::string>{};
}

char mark_of(const DiffRow& row) {
  if (!row.right) return '<';
  if (!row.left) return '>';
  return *row.left == *row.right ? ' ' : '|';
}

std::string row_text(const DiffRow& row, std::size_t column, const TextStyle& style) {
  const char mark = mark_of(row);
  const std::vector<std::string> left = cells_of(row.left, column), right = cells_of(row.right, column);
  std::string text;
  for (std::size_t i = 0; i < std::max<std::size_t>({left.size(), right.size(), 1}); ++i) {
    const std::string left_cell = padded(i < left.size() ? left[i] : "", column);
    std::string line = painted(left_cell, mark == ' ' ? Ink::plain : Ink::red, style);
    line += fmt::format(" {} ", i == 0 ? mark : ' ');
    if (i < right.size()) line += painted(right[i], mark == ' ' ? Ink::plain : Ink::green, style);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// As patch reads it: the first line, and how many.
std::string range_of(const std::vector<std::string>& lines) {
  return fmt::format("{},{}", lines.empty() ? 0 : 1, lines.size());
}

std::string marked(char mark, Ink ink, const std::string& line, const TextStyle& style) {
  return painted(mark + line, ink, style) + "\n";
}

}  // namespace

std::string side_by_side(const NamedSource& left, const NamedSource& right, const TextStyle& style) {
  const std::size_t column = (style.width - gutter) / 2;
  std::string text = painted(padded(cut(left.name, column), column), Ink::bold, style) +
                     std::string(gutter, ' ') + painted(cut(right.name, column), Ink::bold, style) + "\n";
  for (const DiffRow& row : paired(line_diff(lines_of(left.text), lines_of(right.text))))
    text += row_text(row, column, style);
  return text;
}

std::string unified_diff(const NamedSource& left, const NamedSource& right, const TextStyle& style) {
  const std::vector<std::string> left_lines = lines_of(left.text), right_lines = lines_of(right.text);
  std::string text =
      painted("--- " + left.name, Ink::bold, style) + "\n" + painted("+++ " + right.name, Ink::bold, style) +
      "\n" + painted("@@ -" + range_of(left_lines) + " +" + range_of(right_lines) + " @@", Ink::cyan, style) +
      "\n";
  for (const DiffRow& row : line_diff(left_lines, right_lines)) {
    if (row.is_same())
      text += marked(' ', Ink::plain, *row.left, style);
    else
      text += row.left ? marked('-', Ink::red, *row.left, style) : marked('+', Ink::green, *row.right, style);
  }
  return text;
}

}  // namespace gpulab::report
