#pragma once

#include <string>

namespace gpulab {

// What to look for in a kernel, or an answer, whose check showed that pattern, in a sentence or two; empty
// for a pattern that is not known. It holds for any exercise, and says where to look rather than what to
// write.
std::string pattern_hint(const std::string& pattern);

}  // namespace gpulab
