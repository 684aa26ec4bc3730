#pragma once

#include <string>
#include <string_view>

namespace gpulab {

// What the terminal that a report is written for can show.
struct TextStyle {
  bool colour = false;
  unsigned width = 100;  // columns; at least 40
};

enum class Ink { plain, bold, faint, red, green, yellow, blue, magenta, cyan };

// The text between the ANSI escapes for the ink, or just the text when the style has no colour.
std::string painted(std::string_view text, Ink ink, const TextStyle& style);

}  // namespace gpulab
