#pragma once

#include <string>

#include "core/result.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// A lesson's result for people: a heading, a table of references and variants, then what there is to say
// about them. No line is longer than the style's width.
std::string lesson_text(const LessonResult& result, const TextStyle& style);

}  // namespace gpulab
