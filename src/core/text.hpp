#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

// Digits in groups of three, from 1 000 on: 999, 1 000, 33 554 432. It is for counts; indices and launch
// sizes are written as in code, without spaces.
std::string grouped(std::uint64_t number);

// With the given number of digits behind the point: 12.5. Not for infinities or NaN.
std::string with_decimals(double number, int decimals);

// "1 980 MHz"
std::string megahertz(double hz);

// The candidate that is fewest insertions, deletions, replacements and swaps of neighbours away from the
// name, or an empty string when none is near enough to be what was meant.
std::string nearest_name(const std::string& name, std::span<const std::string> candidates);

// What to say about a name that is not among the candidates: "did you mean 'x'?" of the nearest one, or the
// alternative where none is near enough.
std::string suggestion(const std::string& name, std::span<const std::string> candidates,
                       const std::string& otherwise);

// A text for a reader, as it stands in a file, with each paragraph in one long line, to be wrapped to the
// width of the terminal. Empty lines end a paragraph, and indented lines, such as formulas, stay as they are.
std::string flowing_text(std::string_view file);

// FNV-1a, 64 bits: the same for the same bytes on every machine.
std::uint64_t fnv1a(std::string_view text);

// A stranger's text in one line, as a terminal may show it: a "?" in place of each control character, of what
// turns the direction of writing, and of each byte that is no UTF-8.
std::string printable(std::string_view text);

// The same of several lines, which stay lines; tabs become spaces.
std::string printable_lines(std::string text);

// A line that a stranger's program or message has, so that it looks neither like one of gpulab's own nor like
// a command to a service that reads lines ("::error").
std::string set_apart(std::string_view line);

// The lines of a text, without what ends them.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace gpulab
