#include <fmt/format.h>
#include <algorithm>

#include "report/diff.hpp"
#include "report/source.hpp"

namespace gpulab::report {
namespace {

// KernelLines of a file with their numbers there; 0 for the empty one between two functions.
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
  for (const PartLines& part : lines_of_what_it_uses(variant.file_text, {variant.kernel})) {
    if (!lines.texts.empty()) add(0);
    for (int number = part.first; number <= part.last; ++number) add(number);
  }
  return lines;
}

struct NumberedRow {
  DiffRow lines;
  int left = 0, right = 0;  // their numbers

  char mark() const {
    if (!lines.right) return '-';
    if (!lines.left) return '+';
    return lines.is_same() ? ' ' : '~';
  }
};

std::vector<NumberedRow> numbered_rows(const VariantSource& left, const VariantSource& right,
                                       DiffLayout layout) {
  const KernelLines ours = kernel_lines(left), theirs = kernel_lines(right);
  const std::vector<DiffRow> diff = line_diff(ours.texts, theirs.texts);
  std::vector<NumberedRow> rows;
  std::size_t at_left = 0, at_right = 0;
  for (const DiffRow& lines : layout == DiffLayout::side_by_side ? paired(diff) : diff) {
    NumberedRow& row = rows.emplace_back(NumberedRow{lines});
    if (lines.left) row.left = ours.numbers[at_left++];
    if (lines.right) row.right = theirs.numbers[at_right++];
  }
  return rows;
}

// Whether each row is shown: all of a short kernel, and else those near a difference.
std::vector<bool> shown_rows(const std::vector<NumberedRow>& rows) {
  constexpr std::size_t rows_of_a_short_kernel = 40, context = 3, worth_leaving_out = 2;
  std::vector<bool> is_shown(rows.size(), rows.size() <= rows_of_a_short_kernel);
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].mark() != ' ')
      std::fill(is_shown.begin() + static_cast<std::ptrdiff_t>(row - std::min(row, context)),
                is_shown.begin() + static_cast<std::ptrdiff_t>(std::min(row + context + 1, rows.size())),
                true);
  for (auto first = is_shown.begin(); (first = std::find(first, is_shown.end(), false)) != is_shown.end();) {
    const auto end = std::find(first, is_shown.end(), true);
    if (end - first < static_cast<std::ptrdiff_t>(worth_leaving_out)) std::fill(first, end, true);
    first = end;
  }
  return is_shown;
}

std::string number_text(int number) {
  return number > 0 ? fmt::format("{:4} ", number) : std::string(5, ' ');
}

Ink ink_of_mark(char mark, bool is_left) {
  if (mark == ' ') return Ink::plain;
  return is_left ? Ink::red : Ink::green;
}

std::string trimmed(std::string line) {
  return line.erase(line.find_last_not_of(' ') + 1);
}

std::string beside(const NumberedRow& row, const TextStyle& style) {
  constexpr std::size_t gutter = 3, continuation = 4;
  const std::size_t column = (style.width - gutter) / 2, room = column - number_text(0).size();
  const auto cells = [&](const std::optional<std::string>& line) {
    return line ? wrapped(*line, room, continuation) : std::vector<std::string>{};
  };
  const std::vector<std::string> left = cells(row.lines.left), right = cells(row.lines.right);
  std::string text;
  for (std::size_t i = 0; i < std::max<std::size_t>({left.size(), right.size(), 1}); ++i) {
    const bool is_first = i == 0;
    const std::string ours = i < left.size() ? left[i] : "", theirs = i < right.size() ? right[i] : "";
    const std::string line =
        number_text(is_first ? row.left : 0) + painted(ours, ink_of_mark(row.mark(), true), style) +
        std::string(room - display_width(ours), ' ') + fmt::format(" {} ", is_first ? row.mark() : ' ') +
        number_text(is_first ? row.right : 0) + painted(theirs, ink_of_mark(row.mark(), false), style);
    text += trimmed(line) + "\n";
  }
  return text;
}

std::string below(const NumberedRow& row, const TextStyle& style) {
  const std::string margin = number_text(row.left) + number_text(row.right) + row.mark() + ' ';
  const bool is_left = row.lines.left.has_value();
  std::string text;
  for (const std::string& line :
       wrapped(is_left ? *row.lines.left : *row.lines.right, style.width - margin.size(), 4))
    text += (text.empty() ? margin : std::string(margin.size(), ' ')) +
            painted(line, ink_of_mark(row.mark(), is_left), style) + "\n";
  return text.empty() ? trimmed(margin) + "\n" : text;
}

std::string legend_of_marks(const VariantSource& left, const VariantSource& right, DiffLayout layout) {
  return fmt::format("{}{}   - only in {}   + only in {}",
                     left.file == right.file ? left.file : left.file + " and " + right.file,
                     layout == DiffLayout::side_by_side ? "   ~ changed" : "", left.name, right.name);
}

}  // namespace

std::string variant_diff(const VariantSource& left, const VariantSource& right, DiffLayout layout,
                         const TextStyle& style) {
  std::string text = paragraph("- " + left.name + ": " + left.idea, Ink::bold, style) +
                     paragraph("+ " + right.name + ": " + right.idea, Ink::bold, style);
  if (left.file == right.file && left.kernel == right.kernel)
    return text + "\n" +
           paragraph("Both run the kernel " + left.kernel + " of " + left.file +
                         "; they differ in how it is launched.",
                     Ink::plain, style);
  text += paragraph(legend_of_marks(left, right, layout), Ink::plain, style) + "\n";
  const std::vector<NumberedRow> rows = numbered_rows(left, right, layout);
  const std::vector<bool> is_shown = shown_rows(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (is_shown[row]) {
      text += layout == DiffLayout::side_by_side ? beside(rows[row], style) : below(rows[row], style);
      continue;
    }
    const std::size_t first = row;
    while (row + 1 < rows.size() && !is_shown[row + 1]) ++row;
    text += fmt::format("     … {} lines are the same\n", row + 1 - first);
  }
  return text;
}

}  // namespace gpulab::report
