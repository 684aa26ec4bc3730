#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/arrays.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"

namespace gpulab::run::validate {

// Number of differences kept individually.
constexpr std::size_t differences_kept = 5;

struct Comparison {
  std::size_t checked = 0;
  std::size_t wrong = 0;
  std::vector<Difference> first = {};
  double largest_error = 0;  // over elements that have one: a NaN is wrong but not large
  Tolerance tolerance = {};  // the tolerance applied

  // Returns false if nothing was compared.
  bool right() const { return checked > 0 && wrong == 0; }
};

// Returns the byte that fills outputs before a launch: a NaN for floating-point numbers, and for integers one
// that results seldom are, in contrast to -1 and to 255 in an image.
constexpr unsigned char poison_of(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float64 ? 0xFF : 0xA7;
}

// Returns whether an element holds a NaN, and not the one that outputs are poisoned with: a float or double
// whose bits are all ones.
inline bool is_computed_nan(double value) {
  // The poison of a float, converted to double. That of a double is larger.
  constexpr std::uint64_t poison = 0xFFFFFFFFE0000000;
  return (value != value) & (std::bit_cast<std::uint64_t>(value) < poison);
}

// Accepts |actual - expected| <= absolute + relative * |expected|, equal infinities, and any computed NaN
// where a NaN is expected. Any other NaN is wrong, and so is every other infinite error, though an infinite
// expectation's bound is infinite too. The operators | and & evaluate both sides, so the loop over the
// elements has no branches.
inline bool is_close(double actual, double expected, const Tolerance& tolerance) {
  const double error = std::abs(actual - expected);
  const double bound = tolerance.absolute + tolerance.relative * std::abs(expected);
  return (actual == expected) | ((error <= bound) & (error < std::numeric_limits<double>::infinity())) |
         ((expected != expected) & is_computed_nan(actual));
}

// Compares every element. Integers must be equal whatever the tolerance. Throws std::logic_error if both are
// the same memory (nothing is its own reference), or differ in length or type.
Comparison compare(const Array& actual, const Array& expected, Tolerance tolerance);

// Every device buffer lies between two guard zones with a known pattern. A changed zone proves that a kernel
// wrote outside its array, even if the hardware allows it silently.

// Bytes per zone, a multiple of 256 to keep the alignment of the allocation.
constexpr std::size_t guard_bytes = 16 * 1024;

// Returns the byte that fills the zones of a launch's n-th buffer. Neighbours differ: a kernel that copies
// past the end of its input into its output's zone would otherwise restore the pattern.
constexpr std::byte guard_pattern(std::size_t buffer = 0) {
  return static_cast<std::byte>(0xA0 + buffer % 16);
}

enum class GuardSide { before, after };

struct GuardHit {
  GuardSide side = GuardSide::after;
  // Distance in bytes of the nearest changed unit: from the array's end to the unit's first byte, or from the
  // unit's last byte to the array's start. 0 is right next to the array.
  std::size_t offset = 0;
  std::size_t bytes = 0;  // total of the changed units
};

// Takes the zones as read back, by ascending address; the end of `before` and the start of `after` touch the
// array. Counts whole units of unit_bytes (the array's element), because single bytes of a written value may
// equal the pattern by chance. Prefers a hit after the array to one in front of it.
std::optional<GuardHit> find_guard_hit(std::span<const std::byte> before, std::span<const std::byte> after,
                                       std::byte pattern = guard_pattern(), std::size_t unit_bytes = 1);

// An expected line that a program did not print.
struct PrintedDifference {
  std::string name;
  double expected = 0;
  std::string printed = {};  // the text after the name; empty if no line begins with it
};

// Returns the first number that is missing or wrong; none if all are there. Ignores lines that begin with
// other words. A number printed twice must be right twice.
std::optional<PrintedDifference> first_difference(const std::string& output, const PrintedNumbers& expected);

// Returns the known wrong output that this one matches, or null.
const TypicalOutput* typical_output(const std::string& output, const ProgramTask& task, std::size_t size);

// Returns the number after that name, if a line begins with it.
std::optional<double> printed_number(const std::string& name, const std::string& output);

// Formats like programs print numbers: "499500", "0.25".
std::string number_text(double value);

// Returns whether the bytes hold all these numbers in any order, each at least as often as `numbers` does.
// All are stored as the same type: float, int, double or a 64-bit integer.
bool holds_all_numbers(std::string_view bytes, const std::vector<double>& numbers);

}  // namespace gpulab::run::validate
