#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <regex>
#include <utility>

#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "source/cuda_text.hpp"
#include "source/diff.hpp"
#include "source/source_parts.hpp"
#include "teach/demo.hpp"

namespace gpulab::teach {
namespace {

struct NumberedLine {
  int number = 0;
  std::string text;
};

std::string with_word_replaced(std::string text, const std::string& word, const std::string& by) {
  if (word.empty()) return text;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const bool is_whole =
        (at == 0 || !source::is_word_character(text[at - 1])) &&
        (at + word.size() == text.size() || !source::is_word_character(text[at + word.size()]));
    if (is_whole) text.replace(at, word.size(), by);
    at += is_whole ? by.size() : word.size();
  }
  return text;
}

}  // namespace

std::string without_comments(const std::string& source) {
  constexpr char comment_alone = '\1';  // marks a line that has nothing but a comment
  std::string bare;
  for (const source::Token& token : source::cuda_tokens(source))
    if (token.kind != source::TokenKind::comment)
      bare += token.text;
    else if (trimmed(bare.substr(bare.rfind('\n') + 1)).empty())
      bare += comment_alone;
  std::string text;
  for (const std::string& line : lines_of(bare))
    if (line.find(comment_alone) == std::string::npos || trimmed(line).size() > 1)
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  std::erase(text, comment_alone);
  return text;
}

std::string anonymised(const std::string& file_text, const std::string& kernel, const std::string& shown_as) {
  if (kernel.empty()) return without_comments(file_text);
  std::string text = without_comments(source::source_with_used_parts(file_text, {kernel}));
  const auto last_line = [&](const std::string& of) {
    const std::vector<source::PartLines> parts = source::lines_of_parts(of);
    const auto part = std::ranges::find(parts, kernel, &source::PartLines::name);
    return part == parts.end() ? 0 : part->last;
  };
  // Empty lines keep the numbers that the kernel's lines have on the screen.
  text.insert(0, static_cast<std::size_t>(std::max(last_line(file_text) - last_line(text), 0)), '\n');
  return shown_as.empty() ? text : with_word_replaced(text, kernel, shown_as);
}

std::string restored(const std::string& edited_text, const std::string& file_text, const std::string& kernel,
                     const std::string& shown_as) {
  std::string text = shown_as.empty() ? edited_text : with_word_replaced(edited_text, shown_as, kernel);
  if (kernel.empty()) return text;
  const std::vector<std::string> lines = lines_of(file_text);
  const auto used = source::lines_of_used_parts(file_text, {kernel});
  for (const source::PartLines& part : source::lines_of_parts(file_text))
    if (!contains(used, part.first, &source::PartLines::first))
      for (int number = part.first; number <= part.last; ++number) text += lines[number - 1] + "\n";
  return text;
}

namespace {

bool has_one_of(const std::string& text, const std::vector<std::string>& parts) {
  return std::ranges::any_of(parts, [&](const auto& part) { return text.find(part) != std::string::npos; });
}

// Returns the part's lines, by default without the comment above them.
std::vector<NumberedLine> lines_of_part(const std::vector<std::string>& lines, int first, int last,
                                        bool has_comment = false) {
  while (!has_comment && first < last && source::is_comment_or_empty(source::source_line(lines, first)))
    ++first;
  std::vector<NumberedLine> numbered;
  for (int number = first; number <= last; ++number)
    numbered.push_back({number, source::source_line(lines, number)});
  return numbered;
}

// Returns the lines of the kernel, and of used functions with something to look at that is not in the kernel;
// the whole file if no kernel is named.
std::vector<NumberedLine> lines_of_kernel(const std::string& file, const std::string& kernel,
                                          std::vector<std::string> look_at, bool has_all_used = false) {
  const std::vector<std::string> lines = source::source_lines(file);
  const auto parts = source::lines_of_parts(file);
  const auto kernel_part = std::ranges::find_if(
      parts, [&](const source::PartLines& part) { return part.is_kernel && part.name == kernel; });
  if (kernel.empty() || kernel_part == parts.end())
    return lines_of_part(lines, 1, static_cast<int>(lines.size()));
  const std::vector<NumberedLine> of_kernel = lines_of_part(lines, kernel_part->first, kernel_part->last);
  std::erase_if(look_at, [&](const std::string& part) {
    return std::ranges::any_of(of_kernel, [&](const auto& line) { return has_one_of(line.text, {part}); });
  });
  std::vector<NumberedLine> shown;
  for (const source::PartLines& part : source::lines_of_used_parts(file, {kernel})) {
    const bool is_own = part.first == kernel_part->first;
    const auto more =
        is_own && !has_all_used ? of_kernel : lines_of_part(lines, part.first, part.last, has_all_used);
    const bool is_shown = is_own || has_all_used || std::ranges::any_of(more, [&](const auto& line) {
                            return has_one_of(line.text, look_at);
                          });
    if (is_shown) shown.insert(shown.end(), more.begin(), more.end());
  }
  return shown;
}

std::vector<std::string> texts_of(const std::vector<NumberedLine>& lines, const std::string& kernel) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const NumberedLine& line : lines)
    texts.push_back(trimmed(with_word_replaced(line.text, kernel, "kernel")));
  return texts;
}

char mark_of_line(const source::DiffRow& row) {
  if (!row.left) return '+';
  return row.is_same() ? ' ' : '~';
}

// Compares the kernels' texts after giving both one name, without indents.
std::vector<source::DiffRow> rows_of_kernels(const std::vector<NumberedLine>& base,
                                             const std::string& base_kernel,
                                             const std::vector<NumberedLine>& lines,
                                             const std::string& kernel) {
  return source::paired(source::line_diff(texts_of(base, base_kernel), texts_of(lines, kernel)));
}

}  // namespace

std::vector<DemoLine> demo_lines(const DemoSource& source) {
  const std::vector<NumberedLine> lines =
      lines_of_kernel(source.text, source.kernel, source.look_at, source.has_all_used);
  std::vector<DemoLine> shown;
  if (source.base.empty()) {
    for (const NumberedLine& line : lines) shown.push_back({line.number, ' ', line.text});
  } else {
    const auto base = lines_of_kernel(source.base, source.base_kernel, source.look_at);
    std::size_t next = 0, next_of_base = 0;
    for (const source::DiffRow& row : rows_of_kernels(base, source.base_kernel, lines, source.kernel)) {
      const std::string& before = row.left ? base[next_of_base++].text : "";
      if (!row.right) {
        if (!before.empty()) shown.push_back({0, '-', before});
        continue;
      }
      shown.push_back({lines[next].number, mark_of_line(row), lines[next].text});
      ++next;
    }
  }
  bool is_in_signature = !source.kernel.empty();
  for (DemoLine& line : shown) {
    if (!source.shown_as.empty()) line.text = with_word_replaced(line.text, source.kernel, source.shown_as);
    if (line.text.find("__global__") != std::string::npos) is_in_signature = !source.kernel.empty();
    const bool is_changed = line.mark != ' ' && !is_in_signature && !line.text.empty();
    line.is_to_look_at = has_one_of(line.text, source.look_at);
    line.matters = is_changed || line.is_to_look_at;
    if (line.text.find('{') != std::string::npos) is_in_signature = false;
  }
  return shown;
}

std::vector<DemoLine> without_marks(const std::vector<DemoLine>& lines) {
  std::vector<DemoLine> shown;
  bool is_after_gone = false;
  for (const DemoLine& line : lines) {
    if (line.mark == '-') {
      if (!shown.empty()) shown.back().is_beside_gone = true;
      is_after_gone = true;
      continue;
    }
    shown.push_back(line);
    shown.back().mark = ' ';
    shown.back().is_beside_gone = is_after_gone;
    is_after_gone = false;
  }
  return shown;
}

std::vector<DemoLine> without_comments(const std::vector<DemoLine>& lines) {
  std::vector<DemoLine> shown;
  for (const DemoLine& line : lines) {
    const std::string text = without_comments(line.text);
    if (trimmed(text).empty() && !trimmed(line.text).empty()) continue;
    shown.push_back(line);
    shown.back().text = text.substr(0, text.find('\n'));
  }
  return shown;
}

namespace {

constexpr std::size_t margin = 7;  // " 123 ~ "

enum class Remarks { kept, left_out_if_long };  // comments behind code

std::vector<std::string> rows_of(const DemoLine& line, std::size_t width, Remarks remarks) {
  const std::string number = line.number > 0 ? std::to_string(line.number) : "";
  std::vector<std::string> rows = source::wrapped_source_line(line.text, width - margin);
  if (remarks == Remarks::left_out_if_long && rows.size() > 1 && !source::is_comment_or_empty(line.text)) {
    const std::string bare = without_comments(line.text);
    rows = source::wrapped_source_line(bare.substr(0, bare.find('\n')), width - margin);
  }
  if (rows.empty()) rows.emplace_back();
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = fmt::format("{:>4} {} {}", i == 0 ? number : "", i == 0 ? line.mark : ' ', rows[i]);
  return rows;
}

// Lines to show, and the rows that they take with one for each gap.
class Selection {
 public:
  Selection(std::vector<std::size_t> heights, std::vector<bool> are_empty, std::size_t host_lines)
      : heights_(std::move(heights)),
        are_empty_(std::move(are_empty)),
        is_in_(heights_.size()),
        host_lines_(host_lines) {}

  bool add_if_it_fits(std::size_t line, std::size_t rows) { return add_all_if_they_fit(line, line, rows); }

  bool add_all_if_they_fit(std::size_t first, std::size_t last, std::size_t rows) {
    const std::vector<bool> selected_before = is_in_;
    std::fill(is_in_.begin() + static_cast<std::ptrdiff_t>(first),
              is_in_.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
    if (height() <= rows) return true;
    is_in_ = selected_before;
    return false;
  }

  bool has(std::size_t line) const { return is_in_[line]; }

  // Returns whether a gap begins at this line. Lines left out at the beginning or the end, those below code
  // of the host, and empty lines make no gap and take no row.
  bool begins_gap(std::size_t line) const {
    if (line == 0 || line == host_lines_ || !is_in_[line - 1] || is_in_[line]) return false;
    const auto from = is_in_.begin() + static_cast<std::ptrdiff_t>(line);
    const auto end = std::find(from, is_in_.end(), true);
    const auto first = are_empty_.begin() + static_cast<std::ptrdiff_t>(line);
    const auto last = first + (end - from);
    return end != is_in_.end() && std::find(first, last, false) != last;
  }

 private:
  std::size_t height() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < is_in_.size(); ++i) {
      if (is_in_[i]) total += heights_[i];
      if (begins_gap(i)) ++total;
    }
    return total;
  }

  std::vector<std::size_t> heights_;
  std::vector<bool> are_empty_;
  std::vector<bool> is_in_;
  std::size_t host_lines_ = 0;  // above the file's
};

// Returns whether a line is empty or has only braces: it is left out first where there is little room.
bool is_trivial(const DemoLine& line) {
  return (line.mark == ' ' || line.mark == '+') && line.text.find_first_not_of(" {};") == std::string::npos;
}

// Returns whether a line stores to an array: it says what the kernel computes.
bool is_store(const DemoLine& line) {
  static const std::regex store(R"(\] ?[-+*/|&^]?= |\batomic\w+\()");
  return std::regex_search(line.text, store) && line.text.find("__shared__") == std::string::npos;
}

// Range of lines, by index.
struct LineRange {
  std::size_t first = 0, last = 0;
};

std::vector<LineRange> parts_of(const std::vector<DemoLine>& lines) {
  std::string text;
  for (const DemoLine& line : lines) text += line.text + "\n";
  std::vector<LineRange> parts;
  for (const source::PartLines& part : source::lines_of_parts(text))
    parts.push_back({static_cast<std::size_t>(part.first - 1), static_cast<std::size_t>(part.last - 1)});
  return parts;
}

// Returns each line's rank: 0 for a changed line that matters and for one that is named, 1 for a line to look
// at, for one of the host, and for a changed one beside others that the step says to look at, 2 for what is
// gone if something has come in its place, except of a mistake. Others have 2 more than the distance from the
// nearest changed line, or 3 more than twice that from one to look at or a named one; the first line of a
// kernel that has such lines at most 4. A line that a reason quotes has at most 2, or 9 in a function without
// such lines. What a mistake's kernel stores has at most 3.
std::vector<std::size_t> ranks_of(const std::vector<DemoLine>& lines, SourceCut cut) {
  std::vector<std::size_t> all(lines.size(), 2 * lines.size() + 3);
  const bool has_new = cut != SourceCut::around_a_mistake && std::ranges::any_of(lines, [](const auto& line) {
                         return line.matters && (line.mark == '+' || line.mark == '~');
                       });
  const auto is_changed = [](const DemoLine& line) { return line.matters && line.mark != ' '; };
  const bool has_main =
      cut != SourceCut::around_a_mistake &&
      std::ranges::any_of(lines, [&](const auto& line) { return is_changed(line) && line.is_to_look_at; });
  const std::vector<LineRange> parts = parts_of(lines);
  const auto is_in_what_matters = [&](std::size_t line) {
    const auto part = std::ranges::find_if(
        parts, [&](const LineRange& range) { return range.first <= line && line <= range.last; });
    return part == parts.end() ||
           std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(part->first),
                       lines.begin() + static_cast<std::ptrdiff_t>(part->last) + 1,
                       [](const DemoLine& of_part) { return of_part.matters || of_part.is_named; });
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < lines.size(); ++j) {
      const std::size_t distance = i > j ? i - j : j - i;
      if (is_changed(lines[j]))
        all[i] = std::min(all[i], 2 + distance);
      else if (lines[j].matters || lines[j].is_named)
        all[i] = std::min(all[i], 3 + 2 * distance);
    }
    if (cut == SourceCut::around_a_mistake && is_store(lines[i]) && is_in_what_matters(i))
      all[i] = std::min<std::size_t>(all[i], 3);
    if (lines[i].is_quoted) all[i] = std::min<std::size_t>(all[i], is_in_what_matters(i) ? 2 : 9);
    if (lines[i].is_named || lines[i].matters)
      all[i] = lines[i].is_named && lines[i].number > 0 && cut != SourceCut::points_at_nothing ? 0 : 1;
    if (is_changed(lines[i]))
      all[i] = lines[i].mark == '-' && has_new ? 2 : has_main && !lines[i].is_to_look_at ? 1 : 0;
  }
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].text.find("__global__") != std::string::npos && is_in_what_matters(i))
      all[i] = std::min<std::size_t>(all[i], 4);
  return all;
}

void add_by_rank(const std::vector<DemoLine>& lines, std::size_t rows, SourceCut cut, Selection& selection) {
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<std::size_t> ranks = ranks_of(lines, cut);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t line) { return std::pair(is_trivial(lines[line]), ranks[line]); });
  for (const std::size_t line : order) selection.add_if_it_fits(line, rows);
}

bool is_of_mistake(const DemoLine& line) {
  return line.matters || line.is_beside_gone;
}

// Returns two ranges: from the first to the last line of the mistake, and the whole functions around these.
std::pair<LineRange, LineRange> mistake_and_functions(const std::vector<DemoLine>& lines,
                                                      const std::vector<LineRange>& parts) {
  const auto first = std::ranges::find_if(lines, is_of_mistake);
  const auto last = std::find_if(lines.rbegin(), lines.rend(), is_of_mistake);
  const LineRange mistake{static_cast<std::size_t>(first - lines.begin()),
                          static_cast<std::size_t>(lines.rend() - last) - 1};
  LineRange functions = mistake;
  for (const LineRange& part : parts) {
    if (part.first <= mistake.first && mistake.first <= part.last) functions.first = part.first;
    if (part.first <= mistake.last && mistake.last <= part.last) functions.last = part.last;
  }
  return {mistake, functions};
}

// Adds lines before and after a range, up to these limits, as long as they fit. The range's text decides
// whether more are added before it or after it, so that a mistake is not always in the middle.
void add_around(const std::vector<DemoLine>& lines, LineRange range, LineRange limits, std::size_t rows,
                Selection& selection) {
  const std::uint64_t turns_up = 1 + fnv1a(lines[range.first].text) % 3;  // of each four turns
  for (std::uint64_t turn = 0, open_ends = 2; open_ends > 0; ++turn) {
    const bool goes_up = turn % 4 < turns_up;
    const bool is_at_end = goes_up ? range.first == limits.first
                                   : range.last == limits.last ||
                                         (range.last + 1 == limits.last && is_trivial(lines[limits.last]));
    if (!is_at_end && selection.add_if_it_fits(goes_up ? range.first - 1 : range.last + 1, rows)) {
      if (goes_up)
        --range.first;
      else
        ++range.last;
      open_ends = 2;
    } else if (turn % 4 == 0 || turn % 4 == 3) {  // always up, and always down
      --open_ends;
    }
  }
  if (range.last + 1 == limits.last) selection.add_if_it_fits(limits.last, rows);
}

// Returns each line's distance from the nearest line that the mistake has or is beside.
std::vector<std::size_t> distances_from_mistake(const std::vector<DemoLine>& lines) {
  std::vector<std::size_t> all(lines.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t j = 0; j < lines.size(); ++j)
      if (is_of_mistake(lines[j])) all[i] = std::min(all[i], i > j ? i - j : j - i);
  return all;
}

// Selects lines so that the selection does not tell which of them matter: whole functions or, if these are
// too long, their first line and a part in which the mistake may be anywhere. Returns whether the mistake's
// lines fit. If not, selects those that matter, and as many around each as fit.
bool add_without_pointing(const std::vector<DemoLine>& lines, std::size_t rows, Selection& selection) {
  if (std::ranges::none_of(lines, is_of_mistake)) return false;
  const std::vector<LineRange> parts = parts_of(lines);
  const auto [mistake, functions] = mistake_and_functions(lines, parts);
  constexpr std::size_t min_around = 2;  // lines; with fewer, the selection would point at the mistake
  const auto add_where = [&](const auto& is_wanted) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (is_wanted(i)) selection.add_if_it_fits(i, rows);
  };
  const std::vector<std::size_t> distance_of = distances_from_mistake(lines);
  add_where([&](std::size_t i) { return distance_of[i] == 0; });
  add_where([&](std::size_t i) {
    return lines[i].is_named && lines[i].text.find("__global__") != std::string::npos;
  });
  for (std::size_t distance = 1; distance <= min_around; ++distance)
    add_where([&](std::size_t i) { return distance_of[i] == distance && !is_trivial(lines[i]); });
  add_where([&](std::size_t i) { return lines[i].is_named; });
  add_where([&](std::size_t i) { return lines[i].is_quoted; });
  constexpr std::ptrdiff_t few_stores = 3;  // more would leave no room for other lines
  const auto body = lines.begin() + static_cast<std::ptrdiff_t>(functions.first);
  const auto stores =
      std::count_if(body, lines.begin() + static_cast<std::ptrdiff_t>(functions.last) + 1, is_store);
  add_where([&](std::size_t i) {
    return stores <= few_stores && i >= functions.first && i <= functions.last && is_store(lines[i]);
  });
  if (selection.add_all_if_they_fit(functions.first, functions.last, rows)) {
    const auto distance = [&](const LineRange& part) {
      return part.last < functions.first ? functions.first - part.last : part.first - functions.first;
    };
    std::vector<LineRange> nearest = parts;
    std::ranges::stable_sort(nearest, {}, distance);
    for (const LineRange& part : nearest)
      if (!selection.add_all_if_they_fit(part.first, part.last, rows))
        selection.add_if_it_fits(part.first, rows);
  } else if (selection.add_all_if_they_fit(mistake.first, mistake.last, rows)) {
    selection.add_if_it_fits(functions.first, rows);
  } else {
    return false;
  }
  if (selection.has(mistake.first)) add_around(lines, mistake, functions, rows, selection);
  add_around(lines, functions, {0, lines.size() - 1}, rows, selection);
  return true;
}

}  // namespace

std::vector<std::string> demo_source_rows(const std::vector<DemoLine>& lines, std::size_t width,
                                          std::size_t rows, SourceCut cut) {
  std::vector<std::vector<std::string>> texts;
  std::vector<std::size_t> heights;
  std::vector<bool> are_empty;
  const std::size_t height = std::transform_reduce(
      lines.begin(), lines.end(), std::size_t{0}, std::plus<>(), [&](const DemoLine& line) {
        return rows_of(line, width, Remarks::kept).size() + (line.is_apart ? 1 : 0);
      });
  const bool fits = height <= rows;
  for (const DemoLine& line : lines) {
    const Remarks remarks = fits ? Remarks::kept : Remarks::left_out_if_long;
    const bool is_left_out = !fits && line.text.empty();
    texts.push_back(is_left_out ? std::vector<std::string>() : rows_of(line, width, remarks));
    heights.push_back(texts.back().size() + (line.is_apart ? 1 : 0));
    are_empty.push_back(line.text.empty());
  }
  const auto of_file =
      std::ranges::find_if(lines, [](const DemoLine& line) { return line.number > 0 || line.mark != ' '; });
  Selection selection(heights, are_empty, static_cast<std::size_t>(of_file - lines.begin()));
  if (fits && !lines.empty()) selection.add_all_if_they_fit(0, lines.size() - 1, rows);
  const bool is_selected =
      fits || (cut == SourceCut::points_at_nothing && add_without_pointing(lines, rows, selection));
  if (!is_selected) add_by_rank(lines, rows, cut, selection);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (selection.has(i) && lines[i].is_apart && selection.has(i - 1)) shown.emplace_back("     ...");
    if (selection.has(i))
      shown.insert(shown.end(), texts[i].begin(), texts[i].end());
    else if (selection.begins_gap(i))
      shown.emplace_back("     ...");
  }
  if (shown.size() > rows) shown.resize(rows);
  return shown;
}

std::string whole_source_text(const std::vector<DemoLine>& lines, const TextStyle& style) {
  TextStyle of_code = style;
  of_code.width -= margin;
  std::string text;
  for (const DemoLine& line : lines) {
    std::string number = fmt::format("{:>4}   ", line.number);
    for (const std::string& row : lines_of(source::source_text(line.text + "\n", of_code)))
      text += std::exchange(number, std::string(margin, ' ')) + row + "\n";
  }
  return text;
}

}  // namespace gpulab::teach
