#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

// The names of an enumeration are a table with a row for each value: constexpr Named<Outcome> names[] = ...
template <class E>
struct Named {
  E value;
  std::string_view name;
};

// Whether it has every value up to the last, each in its place.
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

// Without the blanks, tabs and ends of lines that it begins and ends with.
std::string trimmed(std::string_view text);

// The lines of a text, without what ends them.
std::vector<std::string> lines_of(const std::string& text);

// Numbers with their units, as people read them. A quantity that is not finite is "n/a".

// What stands where there is no figure.
constexpr const char* not_available = "n/a";

// Three significant digits, and every digit before the point: "0.561", "70.9", "3 495".
std::string three_digits(double value);

// "38.4 us", "8.66 ms", "1.27 s"
std::string duration_text(double seconds);

// In powers of 1000, as rates are: "134 MB"
std::string bytes_text(double bytes);

// In powers of 1024, as memories are built: "48.0 KiB", "140 GiB"
std::string capacity_text(double bytes);

// "0.3 %", "73 %"
std::string percent_text(double fraction);

// How many times as fast: "622x", "6.8x", "0.23x"
std::string factor_text(double factor);

// A figure that a lesson shows: counts in full, "33 554 432", other numbers in three digits
std::string figure_text(double value);

// A value that a kernel computed, in nine digits: "2.5", "-1.41421356", "NaN" whatever its sign, "inf",
// "-inf"
std::string element_text(double value);

// Of an odd number the one in the middle, of an even number the mean of the two. Throws std::logic_error when
// there are none.
double median(std::vector<double> samples);

// Positions in the sorted samples, counted from 1.
struct Ranks {
  std::size_t low = 0;
  std::size_t high = 0;
  friend bool operator==(const Ranks&, const Ranks&) = default;
};

// The narrowest symmetric ranks between which the true median lies with a probability of at least 95 %,
// whatever the distribution: the number of samples below the true median is binomial(count, 1/2), so
// [l, count + 1 - l] misses it with probability 2 P(B <= l - 1). None below six samples. (H. A. David,
// H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1.)
std::optional<Ranks> median_ranks(std::size_t count);

}  // namespace gpulab
