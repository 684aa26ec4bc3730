#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>

#include "core/text.hpp"
#include "report/demo.hpp"
#include "report/diff.hpp"
#include "report/source.hpp"

namespace gpulab::report {
namespace {

struct NumberedLine {
  int number = 0;
  std::string text;
};

bool is_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

std::string with_word_replaced(std::string text, const std::string& word, const std::string& by) {
  if (word.empty()) return text;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    const bool is_whole = (at == 0 || !is_letter(text[at - 1])) &&
                          (at + word.size() == text.size() || !is_letter(text[at + word.size()]));
    if (is_whole)
      text.replace(at, word.size(), by);
    else
      at += word.size() - std::min(word.size(), by.size());
  }
  return text;
}

bool is_comment_or_empty(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos || line.compare(first, 2, "//") == 0;
}

// The kernel, from its first line that is no comment on; all of the file where no kernel is named.
std::vector<NumberedLine> lines_of_kernel(const std::string& file, const std::string& kernel) {
  const std::vector<std::string> lines = source_lines(file);
  int first = 1, last = static_cast<int>(lines.size());
  for (const PartLines& part : lines_of_parts(file))
    if (!kernel.empty() && part.is_kernel && part.name == kernel) first = part.first, last = part.last;
  while (first < last && is_comment_or_empty(source_line(lines, first))) ++first;
  std::vector<NumberedLine> numbered;
  for (int number = first; number <= last; ++number) numbered.push_back({number, source_line(lines, number)});
  return numbered;
}

std::vector<std::string> texts_of(const std::vector<NumberedLine>& lines, const std::string& kernel) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const NumberedLine& line : lines) texts.push_back(with_word_replaced(line.text, kernel, "kernel"));
  return texts;
}

char mark_of_line(const DiffRow& row) {
  if (!row.left) return '+';
  return row.is_same() ? ' ' : '~';
}

// The texts of kernels in which both have one name.
std::vector<DiffRow> rows_of_kernels(const std::vector<NumberedLine>& base, const std::string& base_kernel,
                                     const std::vector<NumberedLine>& lines, const std::string& kernel) {
  return paired(line_diff(texts_of(base, base_kernel), texts_of(lines, kernel)));
}

}  // namespace

std::vector<DemoLine> demo_lines(const DemoSource& source) {
  const std::vector<NumberedLine> lines = lines_of_kernel(source.text, source.kernel);
  std::vector<DemoLine> shown;
  if (source.base.empty()) {
    for (const NumberedLine& line : lines) shown.push_back({line.number, ' ', line.text});
  } else {
    const auto base = lines_of_kernel(source.base, source.base_kernel);
    std::size_t next = 0;
    for (const DiffRow& row : rows_of_kernels(base, source.base_kernel, lines, source.kernel)) {
      if (!row.right) {
        shown.push_back({0, '-', *row.left});
        continue;
      }
      shown.push_back({lines[next].number, mark_of_line(row), lines[next].text});
      ++next;
    }
  }
  bool is_in_signature = !source.kernel.empty();
  for (DemoLine& line : shown) {
    if (!source.shown_as.empty()) line.text = with_word_replaced(line.text, source.kernel, source.shown_as);
    const bool is_changed = line.mark != ' ' && !is_in_signature;
    line.matters = is_changed || std::ranges::any_of(source.look_at, [&](const std::string& part) {
                     return line.text.find(part) != std::string::npos;
                   });
    if (line.text.find('{') != std::string::npos) is_in_signature = false;
  }
  return shown;
}

namespace {

constexpr std::size_t margin = 7;  // " 123 ~ "

std::vector<std::string> rows_of(const DemoLine& line, std::size_t width) {
  const std::string number = line.number > 0 ? std::to_string(line.number) : "";
  std::vector<std::string> rows = wrapped_source_line(line.text, width - margin);
  if (rows.empty()) rows.emplace_back();
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = fmt::format("{:>4} {} {}", i == 0 ? number : "", i == 0 ? line.mark : ' ', rows[i]);
  return rows;
}

// Which lines are shown, and how many rows they take with a row for each gap.
class Selection {
 public:
  explicit Selection(std::vector<std::size_t> heights)
      : heights_(std::move(heights)), is_in_(heights_.size()) {}

  bool add_if_it_fits(std::size_t line, std::size_t rows) {
    is_in_[line] = true;
    if (height() <= rows) return true;
    is_in_[line] = false;
    return false;
  }

  bool has(std::size_t line) const { return is_in_[line]; }

  // Whether lines are left out from this one on, and others follow. What is left out above the first line and
  // below the last one takes no row: the lines' numbers tell it.
  bool begins_gap(std::size_t line) const {
    const auto from = is_in_.begin() + static_cast<std::ptrdiff_t>(line);
    return line > 0 && is_in_[line - 1] && !is_in_[line] &&
           std::find(from, is_in_.end(), true) != is_in_.end();
  }

 private:
  std::size_t height() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < is_in_.size(); ++i) total += is_in_[i] ? heights_[i] : begins_gap(i) ? 1 : 0;
    return total;
  }

  std::vector<std::size_t> heights_;
  std::vector<bool> is_in_;
};

// Of each line, how far it is from one that matters; the first line, with the kernel's name, comes after
// those next to one.
std::vector<std::size_t> distances(const std::vector<DemoLine>& lines) {
  std::vector<std::size_t> all(lines.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < lines.size(); ++j)
      if (lines[j].matters || lines[j].is_named) all[i] = std::min(all[i], 1 + (i > j ? i - j : j - i));
    if (lines[i].is_named) all[i] = 0;
  }
  const bool has_signature = !lines.empty() && lines.front().text.find("__global__") != std::string::npos;
  if (has_signature) all.front() = std::min<std::size_t>(all.front(), 3);
  return all;
}

}  // namespace

std::vector<std::string> demo_source_rows(const std::vector<DemoLine>& lines, std::size_t width,
                                          std::size_t rows) {
  std::vector<std::vector<std::string>> texts;
  std::vector<std::size_t> heights, order;
  for (const DemoLine& line : lines) {
    order.push_back(order.size());
    texts.push_back(rows_of(line, width));
    heights.push_back(texts.back().size());
  }
  const std::vector<std::size_t> distance = distances(lines);
  std::ranges::stable_sort(order, {}, [&](std::size_t line) { return distance[line]; });
  std::size_t total = 0;
  for (const std::size_t height : heights) total += height;
  Selection selection(heights);
  for (const std::size_t line : order)
    selection.add_if_it_fits(line, total <= rows ? std::numeric_limits<std::size_t>::max() : rows);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (selection.has(i))
      shown.insert(shown.end(), texts[i].begin(), texts[i].end());
    else if (selection.begins_gap(i))
      shown.emplace_back("     ...");
  }
  if (shown.size() > rows) shown.resize(rows);
  return shown;
}

}  // namespace gpulab::report
