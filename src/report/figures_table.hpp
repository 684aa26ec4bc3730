#pragma once

#include <string>

#include "core/result.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// One row for each variant that has figures, one column for each figure; empty when there are none.
std::string figures_table(const LessonResult& result, const TextStyle& style);

}  // namespace gpulab
