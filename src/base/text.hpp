#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

// Row of a table of an enumeration's names: constexpr Named<Outcome> names[] = ...
template <class E>
struct Named {
  E value;
  std::string_view name;
};

// Returns whether the table has every value up to the last, in order.
template <class E, std::size_t rows>
constexpr bool names_every(const Named<E> (&names)[rows], E last) {
  for (std::size_t i = 0; i < rows; ++i)
    if (static_cast<std::size_t>(names[i].value) != i) return false;
  return rows == static_cast<std::size_t>(last) + 1;
}

template <class E, std::size_t rows>
constexpr std::string_view name_in(const Named<E> (&names)[rows], E value) {
  return names[static_cast<std::size_t>(value)].name;
}

// Returns the text with each such letter replaced: replaced("shared-histogram", '-', '_').
std::string replaced(std::string text, char letter, char by);

// Groups digits in threes: 999, 1 000, 33 554 432. For counts only; indices and launch sizes are written as
// in code, without spaces.
std::string grouped(std::uint64_t number);

// Formats with this number of digits after the point: 12.5. Not for infinities or NaN.
std::string with_decimals(double number, int decimals);

// Formats "1 980 MHz".
std::string clock_text(double hz);

// Returns whether people would list the first name before the other: numbers by value, letters of either case
// alike. "student2" is before "Student10".
bool is_listed_before(const std::string& name, const std::string& other);

// Returns the candidate with the fewest insertions, deletions, replacements and swaps of neighbours, or "" if
// none is near enough.
std::string nearest_name(const std::string& name, std::span<const std::string> candidates);

// Returns "did you mean 'x'?" for an unknown name, or the alternative if no candidate is near enough.
std::string suggestion(const std::string& name, std::span<const std::string> candidates,
                       const std::string& otherwise);

// Joins each paragraph of a file into one long line, to be wrapped to the terminal's width. Empty lines end a
// paragraph; indented lines, such as formulas, stay as they are.
std::string flowing_text(std::string_view file);

// Returns the 64-bit FNV-1a hash, the same on every machine.
std::uint64_t fnv1a(std::string_view text);

std::vector<std::string> split_at_commas(std::string_view text);

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0 for invalid UTF-8
};

// Decodes the first letter of a text that is not empty, as in RFC 3629: shortest form, no surrogates.
CodePoint first_code_point(std::string_view text);

// Makes untrusted text safe to show in one line: "?" replaces control characters, characters that change the
// writing direction, and invalid UTF-8.
std::string printable(std::string_view text);

// Returns each line of the text as printable(); tabs become spaces.
std::string printable_lines(const std::string& text);

// Prefixes a line from an untrusted program or message, so that it looks neither like gpulab's own nor like a
// command to a service: "::error" at its beginning, or "##[error]" anywhere.
std::string set_apart(std::string_view line);

// Removes white space from both ends.
std::string trimmed(std::string_view text);

// Splits into lines, without line ends.
std::vector<std::string> lines_of(const std::string& text);

// Numbers with units for people. A quantity that is not finite is "n/a".

// Text in place of a missing value.
constexpr const char* not_available = "n/a";

// Formats three significant digits, and all digits before the point: "0.561", "70.9", "3 495".
std::string three_digits(double value);

// Formats "38.4 us", "8.66 ms", "1.27 s".
std::string duration_text(double seconds);

// Formats in powers of 1000, as for rates: "134 MB".
std::string bytes_text(double bytes);

// Formats in powers of 1024, as for memory sizes: "48.0 KiB", "140 GiB".
std::string capacity_text(double bytes);

// Formats "0.3 %", "73 %".
std::string percent_text(double fraction);

// Formats a speed-up: "622x", "6.8x", "0.23x".
std::string factor_text(double factor);

// Formats a lesson's figure: counts in full, "33 554 432", other numbers with three digits.
std::string figure_text(double value);

// Formats a computed value with nine digits: "2.5", "-1.41421356", "NaN" for either sign, "inf", "-inf".
std::string element_text(double value);

// Texts of an expected and an actual number.
struct ExpectedAndActual {
  std::string expected, actual;
};
// Formats two different numbers with the fewest digits that distinguish them, but at least four. Whole
// numbers have all digits.
ExpectedAndActual distinguishable(double expected, double actual);

}  // namespace gpulab
