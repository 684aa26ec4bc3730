#pragma once

#include <string>

#include "core/taken_hint.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// Hints as a learner reads them, and the command for what there is after them.
std::string hint_text(const TakenHint& hint, const TextStyle& style);

}  // namespace gpulab
