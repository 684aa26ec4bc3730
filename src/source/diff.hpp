#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"

namespace gpulab::source {

// One row of two texts side by side: both lines where they are the same, one where only one text has the
// line.
struct DiffRow {
  std::optional<std::string> left, right;

  bool is_same() const { return left && right && *left == *right; }
  friend bool operator==(const DiffRow&, const DiffRow&) = default;
};

// The fewest rows: those of a longest common subsequence are shared. Where lines were replaced, the left ones
// come first. It takes time and memory of left times right; where that is more than some millions, nothing
// between the common beginning and the common end is shared.
std::vector<DiffRow> line_diff(const std::vector<std::string>& left, const std::vector<std::string>& right);

// The same with the lines that replace others beside them: neither row is the same on both sides then.
std::vector<DiffRow> paired(const std::vector<DiffRow>& rows);

struct NamedSource {
  std::string name;
  std::string text;
};

// Two sources beside each other, as wide as the style: between the columns '|' marks a line that was
// replaced, '<' and
// '>' one that only the left or the right has. Lines that are too long for their column go on below.
std::string side_by_side(const NamedSource& left, const NamedSource& right, const TextStyle& style);

// The same below each other, as a unified diff with every line as context.
std::string unified_diff(const NamedSource& left, const NamedSource& right, const TextStyle& style);

// A variant of a lesson: its kernel is shown with what it uses.
struct VariantSource {
  std::string name, idea;
  std::string file, file_text;
  std::string kernel;
};

enum class DiffLayout { side_by_side, below };

// From so many columns on, two sources, or a source and what is said about it, stand beside each other.
constexpr unsigned width_of_two_columns = 120;

// What tells one variant from another: the idea of each, and their kernels' lines with their numbers in the
// files. Lines in one only have a '-' or a '+' and, side by side, replaced ones a '~'. Of long stretches that
// are the same, only what is near a difference is shown.
std::string variant_diff(const VariantSource& left, const VariantSource& right, DiffLayout layout,
                         const TextStyle& style);

}  // namespace gpulab::source
