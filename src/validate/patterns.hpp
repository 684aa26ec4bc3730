#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "validate/evidence.hpp"

namespace gpulab {

// A way to be wrong that can be recognised. detect returns the line that tells of it, or nothing when the
// evidence does not fit; the line claims no cause beyond "consistent with".
struct Pattern {
  std::string_view name;
  std::optional<std::string> (*detect)(const Evidence& evidence);
};

// Elements that no thread wrote: which ones are missing tells of the index or the bounds check.
std::span<const Pattern> unwritten_patterns();

// Elements that were written with the wrong value.
std::span<const Pattern> value_patterns();

}  // namespace gpulab
