#pragma once

#include <string>

#include "report/text_style.hpp"

namespace gpulab {

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

}  // namespace gpulab
