#pragma once

#include <span>
#include <string>

namespace gpulab {

// The candidate that is fewest insertions, deletions, replacements and swaps of neighbours away from the
// name, or an empty string when none is near enough to be what was meant.
std::string nearest_name(const std::string& name, std::span<const std::string> candidates);

// What to say about a name that is not among the candidates: "did you mean 'x'?" of the nearest one, or the
// alternative where none is near enough.
std::string suggestion(const std::string& name, std::span<const std::string> candidates,
                       const std::string& otherwise);

}  // namespace gpulab
