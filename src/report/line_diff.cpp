#include "report/line_diff.hpp"

#include <algorithm>
#include <span>
#include <sstream>

namespace gpulab {
namespace {

using Lines = std::span<const std::string>;

constexpr std::size_t most_cells = 4'000'000;

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
  if (left.size() * right.size() > most_cells) {
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

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

}  // namespace gpulab
