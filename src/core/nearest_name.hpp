#pragma once

#include <span>
#include <string>

namespace gpulab {

// The candidate that is fewest insertions, deletions, replacements and swaps of neighbours away from the
// name, or an empty string when none is near enough to be what was meant.
std::string nearest_name(const std::string& name, std::span<const std::string> candidates);

}  // namespace gpulab
