#pragma once

#include <optional>
#include <string>

#include "source/statements.hpp"

namespace gpulab::source {

// A step of a pointer in bytes, which the pointer counts as elements: "e + n * sizeof(int)", and "e + n".
struct ScaledStep {
  int line = 0;
  std::string wrong, right;
};

// Returns the first one in these lines, where the pointer's type is larger than a byte.
std::optional<ScaledStep> scaled_step(const Code& code, const LineRange& lines);

}  // namespace gpulab::source
