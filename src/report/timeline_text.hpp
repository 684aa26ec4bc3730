#pragma once

#include <string>

#include "core/result.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// For each variant with a timeline, a line for each stream, on which every piece of work has its place in
// time; empty when there are none.
std::string timelines_text(const LessonResult& result, const TextStyle& style);

}  // namespace gpulab
