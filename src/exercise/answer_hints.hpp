#pragma once

#include <string>

namespace gpulab {

// What to think of after an answer to a question that showed that pattern; empty for a pattern that is not
// known.
std::string answer_hint(const std::string& pattern);

}  // namespace gpulab
