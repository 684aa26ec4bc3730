#pragma once

#include <string>

#include "core/result.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// The records that were found, the first of them at least; empty when there are none.
std::string records_text(const LessonResult& result, const TextStyle& style);

}  // namespace gpulab
