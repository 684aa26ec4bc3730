#include "source/diff.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>

#include "base/table.hpp"
#include "base/text.hpp"
#include "source/cuda_text.hpp"
#include "source/source_parts.hpp"

namespace gpulab::source {
namespace {

using Lines = std::span<const std::string>;

constexpr std::size_t max_cells = 4'000'000;  // of Lengths: 16 MB

// best[i][j]: largest sum of gains of pairs, each of a line from i on and one from j on, in order.
using BestGains = std::vector<std::vector<float>>;

template <class Gain>
BestGains best_gains(Lines left, Lines right, const Gain& gain) {
  BestGains best(left.size() + 1, std::vector<float>(right.size() + 1));
  for (std::size_t i = left.size(); i-- > 0;)
    for (std::size_t j = right.size(); j-- > 0;)
      best[i][j] = std::max({best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + gain(left[i], right[j])});
  return best;
}

// Adds all lines in order, with the pairs that gain most in one row.
template <class Gain>
void add_aligned(std::vector<DiffRow>& rows, Lines left, Lines right, const Gain& gain,
                 std::size_t most_cells = max_cells) {
  if (left.size() * right.size() > most_cells) {
    for (const std::string& line : left) rows.push_back({line, std::nullopt});
    for (const std::string& line : right) rows.push_back({std::nullopt, line});
    return;
  }
  const BestGains best = best_gains(left, right, gain);
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const bool have_both = i < left.size() && j < right.size();
    const float gained = have_both ? gain(left[i], right[j]) : 0;
    if (gained > 0 && best[i][j] == best[i + 1][j + 1] + gained)
      rows.push_back({left[i++], right[j++]});
    else if (j == right.size() || (have_both && best[i + 1][j] >= best[i][j + 1]))
      rows.push_back({left[i++], std::nullopt});
    else
      rows.push_back({std::nullopt, right[j++]});
  }
}

float is_equal(const std::string& left, const std::string& right) {
  return left == right ? 1 : 0;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (const Token& token : cuda_tokens(line))
    if (token.kind == TokenKind::word || token.kind == TokenKind::number) words.emplace_back(token.text);
  return words;
}

// Returns the part of the lines' words that they have in common; 0 if that is less than two fifths.
float similarity(const std::string& left, const std::string& right) {
  const std::vector<std::string> left_words = words_of(left), right_words = words_of(right);
  const float common = 2 * best_gains(left_words, right_words, is_equal)[0][0];
  const auto all = static_cast<float>(left_words.size() + right_words.size());
  return 5 * common < 2 * all || common == 0 ? 0 : common / all;
}

}  // namespace

std::vector<DiffRow> line_diff(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  std::vector<DiffRow> rows;
  const auto difference = std::ranges::mismatch(left, right);
  for (auto line = left.begin(); line != difference.in1; ++line) rows.push_back({*line, *line});
  Lines rest_left(difference.in1, left.end()), rest_right(difference.in2, right.end());
  std::size_t same_at_end = 0;
  while (same_at_end < std::min(rest_left.size(), rest_right.size()) &&
         rest_left[rest_left.size() - 1 - same_at_end] == rest_right[rest_right.size() - 1 - same_at_end])
    ++same_at_end;
  add_aligned(rows, rest_left.first(rest_left.size() - same_at_end),
              rest_right.first(rest_right.size() - same_at_end), is_equal);
  for (const std::string& line : rest_left.last(same_at_end)) rows.push_back({line, line});
  return rows;
}

std::vector<DiffRow> paired(const std::vector<DiffRow>& rows) {
  std::vector<DiffRow> result;
  std::vector<std::string> left, right;  // lines of a changed part
  const auto add_part = [&] {
    if (left.size() == 1 && right.size() == 1)
      result.push_back({left[0], right[0]});
    else
      add_aligned(result, left, right, similarity, max_cells / 100);  // each takes a while
    left.clear();
    right.clear();
  };
  for (const DiffRow& row : rows) {
    if (row.left && row.right) {
      add_part();
      result.push_back(row);
    } else {
      (row.left ? left : right).push_back(row.left ? *row.left : *row.right);
    }
  }
  add_part();
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

char mark_of(const DiffRow& row) {
  if (!row.right) return '<';
  if (!row.left) return '>';
  return *row.left == *row.right ? ' ' : '|';
}

Ink ink_of_mark(char mark, bool is_left) {
  if (mark == ' ') return Ink::plain;
  return is_left ? Ink::red : Ink::green;
}

std::string without_trailing_blanks(std::string line) {
  return line.erase(line.find_last_not_of(' ') + 1);
}

// Returns the row in two columns, each with its margin and then room for that many characters of code.
std::string columns_text(const DiffRow& row, char mark, const std::string& left_margin,
                         const std::string& right_margin, std::size_t room, const TextStyle& style) {
  const auto cells_of = [&](const std::optional<std::string>& line) {
    return line ? wrapped_source_line(with_tabs_expanded(*line), room) : std::vector<std::string>{};
  };
  const std::vector<std::string> left = cells_of(row.left), right = cells_of(row.right);
  std::string text;
  for (std::size_t i = 0; i < std::max<std::size_t>({left.size(), right.size(), 1}); ++i) {
    const auto margin = [&](const std::string& in_first_row) {
      return i == 0 ? in_first_row : std::string(in_first_row.size(), ' ');
    };
    std::string line = margin(left_margin) + painted(padded(i < left.size() ? left[i] : "", room),
                                                     ink_of_mark(mark, /*is_left=*/true), style);
    line += fmt::format(" {} ", i == 0 ? mark : ' ') + margin(right_margin);
    if (i < right.size()) line += painted(right[i], ink_of_mark(mark, /*is_left=*/false), style);
    text += without_trailing_blanks(line) + "\n";
  }
  return text;
}

// Returns the range of all these lines as patch reads it: the first line's number, and how many lines.
std::string range_of(const std::vector<std::string>& lines) {
  return fmt::format("{},{}", lines.empty() ? 0 : 1, lines.size());
}

// Returns the mark and then the line. If the line is wrapped, the mark begins each row.
std::string marked(char mark, Ink ink, const std::string& line, const TextStyle& style) {
  if (display_width(line) < style.width) return painted(mark + line, ink, style) + "\n";
  std::string text;
  for (const std::string& row : wrapped_source_line(line, style.width - 1))
    text += painted(mark + row, ink, style) + "\n";
  return text;
}

}  // namespace

std::string side_by_side(const NamedSource& left, const NamedSource& right, const TextStyle& style) {
  const std::size_t column = (style.width - gutter) / 2;
  std::string text = painted(padded(cut(left.name, column), column), Ink::bold, style) +
                     std::string(gutter, ' ') + painted(cut(right.name, column), Ink::bold, style) + "\n";
  const auto lines = [&](const NamedSource& of) { return with_joined_comments(lines_of(of.text), column); };
  for (const DiffRow& row : paired(line_diff(lines(left), lines(right))))
    text += columns_text(row, mark_of(row), "", "", column, style);
  return text;
}

std::string unified_diff(const NamedSource& left, const NamedSource& right, const TextStyle& style) {
  const auto lines = [&](const NamedSource& of) {
    return with_joined_comments(lines_of(of.text), style.width - 1);
  };
  const std::vector<std::string> left_lines = lines(left), right_lines = lines(right);
  std::string text = fmt::format(
      "{}\n{}\n{}\n", painted("--- " + left.name, Ink::bold, style),
      painted("+++ " + right.name, Ink::bold, style),
      painted(fmt::format("@@ -{} +{} @@", range_of(left_lines), range_of(right_lines)), Ink::cyan, style));
  for (const DiffRow& row : line_diff(left_lines, right_lines)) {
    if (row.is_same())
      text += marked(' ', Ink::plain, *row.left, style);
    else
      text += row.left ? marked('-', Ink::red, *row.left, style) : marked('+', Ink::green, *row.right, style);
  }
  return text;
}

namespace {

// Lines of a kernel and their numbers in the file; 0 for the empty one between two functions.
struct KernelLines {
  std::vector<std::string> texts;
  std::vector<int> numbers;
};

KernelLines kernel_lines(const VariantSource& variant) {
  const std::vector<std::string> file = source_lines(variant.file_text);
  KernelLines lines;
  const auto add = [&](int number) {
    lines.texts.push_back(source_line(file, number));
    lines.numbers.push_back(number);
  };
  for (const PartLines& part : lines_of_used_parts(variant.file_text, {variant.kernel})) {
    if (!lines.texts.empty()) add(0);
    for (int number = part.first; number <= part.last; ++number) add(number);
  }
  return lines;
}

struct NumberedRow {
  DiffRow lines;
  int left = 0, right = 0;  // numbers of the lines in their files

  char mark() const {
    if (!lines.right) return '-';
    if (!lines.left) return '+';
    return lines.is_same() ? ' ' : '~';
  }
};

std::vector<NumberedRow> numbered_rows(const VariantSource& left, const VariantSource& right,
                                       DiffLayout layout) {
  const KernelLines left_lines = kernel_lines(left), right_lines = kernel_lines(right);
  const std::vector<DiffRow> diff = line_diff(left_lines.texts, right_lines.texts);
  std::vector<NumberedRow> rows;
  std::size_t next_left = 0, next_right = 0;
  for (const DiffRow& lines : layout == DiffLayout::side_by_side ? paired(diff) : diff) {
    NumberedRow& row = rows.emplace_back(NumberedRow{lines});
    if (lines.left) row.left = left_lines.numbers[next_left++];
    if (lines.right) row.right = right_lines.numbers[next_right++];
  }
  return rows;
}

// Returns whether each row is shown: all of a short kernel, else those near a difference.
std::vector<bool> shown_rows(const std::vector<NumberedRow>& rows) {
  constexpr std::size_t rows_of_a_short_kernel = 40, context = 3, min_hidden_rows = 2;
  std::vector<bool> is_shown(rows.size(), rows.size() <= rows_of_a_short_kernel);
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].mark() != ' ')
      std::fill(is_shown.begin() + static_cast<std::ptrdiff_t>(row - std::min(row, context)),
                is_shown.begin() + static_cast<std::ptrdiff_t>(std::min(row + context + 1, rows.size())),
                true);
  for (auto first = is_shown.begin(); (first = std::find(first, is_shown.end(), false)) != is_shown.end();) {
    const auto end = std::find(first, is_shown.end(), true);
    if (end - first < static_cast<std::ptrdiff_t>(min_hidden_rows)) std::fill(first, end, true);
    first = end;
  }
  return is_shown;
}

std::string number_text(int number) {
  return number > 0 ? fmt::format("{:4} ", number) : std::string(5, ' ');
}

std::string side_by_side_text(const NumberedRow& row, const TextStyle& style) {
  const std::string left = number_text(row.left), right = number_text(row.right);
  const std::size_t column = (style.width - gutter) / 2;
  return columns_text(row.lines, row.mark(), left, right, column - left.size(), style);
}

std::string unified_text(const NumberedRow& row, const TextStyle& style) {
  const std::string margin = number_text(row.left) + number_text(row.right) + row.mark() + ' ';
  const bool is_left = row.lines.left.has_value();
  std::string text;
  for (const std::string& line :
       wrapped_source_line(is_left ? *row.lines.left : *row.lines.right, style.width - margin.size()))
    text += (text.empty() ? margin : std::string(margin.size(), ' ')) +
            painted(line, ink_of_mark(row.mark(), is_left), style) + "\n";
  return text.empty() ? without_trailing_blanks(margin) + "\n" : text;
}

std::string legend_of_marks(const VariantSource& left, const VariantSource& right, DiffLayout layout) {
  return fmt::format("{}{}   - only in {}   + only in {}",
                     left.file == right.file ? left.file : left.file + " and " + right.file,
                     layout == DiffLayout::side_by_side ? "   ~ changed" : "", left.name, right.name);
}

}  // namespace

std::string variant_diff(const VariantSource& left, const VariantSource& right, DiffLayout layout,
                         const TextStyle& style) {
  std::string text = paragraph(fmt::format("- {}: {}", left.name, left.idea), Ink::bold, style) +
                     paragraph(fmt::format("+ {}: {}", right.name, right.idea), Ink::bold, style);
  if (left.file == right.file && left.kernel == right.kernel)
    return text + "\n" +
           paragraph(fmt::format("Both run the kernel {} of {}; they differ in how it is launched.",
                                 left.kernel, left.file),
                     Ink::plain, style);
  text += paragraph(legend_of_marks(left, right, layout), Ink::plain, style) + "\n";
  const std::vector<NumberedRow> rows = numbered_rows(left, right, layout);
  const std::vector<bool> is_shown = shown_rows(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (is_shown[row]) {
      text += layout == DiffLayout::side_by_side ? side_by_side_text(rows[row], style)
                                                 : unified_text(rows[row], style);
      continue;
    }
    const std::size_t first = row;
    while (row + 1 < rows.size() && !is_shown[row + 1]) ++row;
    text += fmt::format("     … {} lines are the same\n", row + 1 - first);
  }
  return text;
}

}  // namespace gpulab::source
