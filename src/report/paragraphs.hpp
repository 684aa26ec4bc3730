#pragma once

#include <string>

#include "report/text_style.hpp"

namespace gpulab {

// Wrapped at the style's width, all lines but the first indented, and ended with a line break.
std::string paragraph(const std::string& text, Ink ink, const TextStyle& style);

// "label: text", of which only the label has colour.
std::string labelled(const std::string& label, Ink ink, const std::string& text, const TextStyle& style);

}  // namespace gpulab
