#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"

namespace gpulab::source {

// One row of two texts side by side: both lines if they are equal, one if only one text has the line.
struct DiffRow {
  std::optional<std::string> left, right;

  bool is_same() const { return left && right && *left == *right; }
  friend bool operator==(const DiffRow&, const DiffRow&) = default;
};

// Returns as few rows as possible: lines of a longest common subsequence share a row. Where lines were
// replaced, the left ones come first. Time and memory grow with the product of both numbers of lines. If the
// product exceeds some millions, no lines between the common beginning and the common end share a row.
std::vector<DiffRow> line_diff(const std::vector<std::string>& left, const std::vector<std::string>& right);

// Returns the rows with replaced lines and their replacements side by side.
std::vector<DiffRow> paired(const std::vector<DiffRow>& rows);

struct NamedSource {
  std::string name;
  std::string text;
};

// Returns two sources side by side, as wide as the style. Between the columns, '|' marks a replaced line, '<'
// and '>' one that only the left or the right has. Long lines continue below.
std::string side_by_side(const NamedSource& left, const NamedSource& right, const TextStyle& style);

// Returns a unified diff with every line as context. Lines wider than the style are wrapped, so patch accepts
// only a diff that was written without a limit of its width.
std::string unified_diff(const NamedSource& left, const NamedSource& right, const TextStyle& style);

// A variant of a lesson. Its kernel is shown with the parts of the file that it uses.
struct VariantSource {
  std::string name, idea;
  std::string file, file_text;
  std::string kernel;
};

enum class DiffLayout { side_by_side, below };

// Width from which two sources, or a source and notes about it, are shown side by side.
constexpr unsigned width_of_two_columns = 120;

// Returns how two variants differ: the idea of each, and their kernels' lines with their numbers in the
// files. '-' and '+' mark lines that only one has; side by side, '~' marks replaced lines. Long equal
// stretches are shown only near a difference.
std::string variant_diff(const VariantSource& left, const VariantSource& right, DiffLayout layout,
                         const TextStyle& style);

}  // namespace gpulab::source
