#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab::report {

// What the terminal that a report is written for can show.
struct TextStyle {
  bool colour = false;
  unsigned width = 100;  // columns; at least 40
};

enum class Ink { plain, bold, faint, red, green, yellow, blue, magenta, cyan };

// The text between the ANSI escapes for the ink, or just the text when the style has no colour.
std::string painted(std::string_view text, Ink ink, const TextStyle& style);

// Columns that UTF-8 text takes on a terminal, one for every code point: the reports use no wide characters.
std::size_t display_width(std::string_view text);

// As much of the beginning as fits into that many columns, with an ellipsis when something is left out.
std::string cut(std::string_view text, std::size_t width);

// In one line, with nothing that could be an instruction to a terminal, or to what reads lines: a learner
// chooses what a kernel prints and what a file is called.
std::string without_controls(std::string text);

// Lines of at most width columns, all but the first indented by that many spaces. Line breaks in the text
// stay; the spaces of a number such as "33 554 432" do not become breaks; longer words are broken.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// Wrapped at the style's width, all lines but the first indented, and ended with a line break.
std::string paragraph(const std::string& text, Ink ink, const TextStyle& style);

// "label: text", of which only the label has colour.
std::string labelled(const std::string& label, Ink ink, const std::string& text, const TextStyle& style);

}  // namespace gpulab::report
