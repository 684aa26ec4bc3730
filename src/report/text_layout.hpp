#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

// Columns that UTF-8 text takes on a terminal, one for every code point: the reports use no wide characters.
std::size_t display_width(std::string_view text);

// As much of the beginning as fits into that many columns, with an ellipsis when something is left out.
std::string cut(std::string_view text, std::size_t width);

// Lines of at most width columns, all but the first indented by that many spaces. Line breaks in the text
// stay; the spaces of a number such as "33 554 432" do not become breaks; longer words are broken.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace gpulab
