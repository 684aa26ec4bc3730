#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpulab {

// One row of two texts side by side: both lines where they are the same, one where only one text has the
// line.
struct DiffRow {
  std::optional<std::string> left, right;

  bool is_same() const { return left && right; }
  friend bool operator==(const DiffRow&, const DiffRow&) = default;
};

std::vector<std::string> lines_of(const std::string& text);

// The fewest rows: those of a longest common subsequence are shared. Where lines were replaced, the left ones
// come first. It takes time and memory of left times right; where that is more than some millions, nothing
// between the common beginning and the common end is shared.
std::vector<DiffRow> line_diff(const std::vector<std::string>& left, const std::vector<std::string>& right);

}  // namespace gpulab
