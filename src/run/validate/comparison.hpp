#pragma once

#include <cmath>
#include <cstddef>
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

// The first so many differences are kept one by one.
constexpr std::size_t differences_kept = 5;

struct Comparison {
  std::size_t checked = 0;
  std::size_t wrong = 0;
  std::vector<Difference> first = {};
  double largest_error = 0;  // of all elements that have one: a NaN is wrong but not large
  Tolerance tolerance = {};  // what was applied

  // Nothing compared is not right.
  bool right() const { return checked > 0 && wrong == 0; }
};

// |actual - expected| <= absolute + relative * |expected|, or equal infinities. Anything else is wrong, NaN
// included: an infinite error is never small, though the bound of an infinite expectation is infinite too.
inline bool is_close(double actual, double expected, const Tolerance& tolerance) {
  const double error = std::abs(actual - expected);
  const double bound = tolerance.absolute + tolerance.relative * std::abs(expected);
  return (actual == expected) | ((error <= bound) & (error < std::numeric_limits<double>::infinity()));
}

// Compares every element. Integers must be equal whatever the tolerance. Throws std::logic_error when the two
// are the same memory (nothing is its own reference), or differ in length or type.
Comparison compare(const Array& actual, const Array& expected, Tolerance tolerance);

// Every buffer on the device lies between two guard zones of a known pattern. A zone that changed proves that
// a kernel wrote outside its array, also where the hardware lets that pass in silence.

// Of each zone. A multiple of 256, so that the array keeps the alignment of the allocation.
constexpr std::size_t guard_bytes = 16 * 1024;

// The byte that fills the zones of the n-th buffer of a launch. Neighbours differ: a kernel that copies past
// the end of its input into the zone of its output would otherwise put back what was there.
constexpr std::byte guard_pattern(std::size_t buffer = 0) {
  return static_cast<std::byte>(0xA0 + buffer % 16);
}

void fill_guard(std::span<std::byte> zone, std::byte pattern = guard_pattern());

enum class GuardSide { before, after };

struct GuardHit {
  GuardSide side = GuardSide::after;
  // Of the changed unit that is nearest to the array: bytes from the array's end to its first byte, or from
  // its last byte to the array's start. 0 is right next to the array.
  std::size_t offset = 0;
  std::size_t bytes = 0;  // of all changed units
};

// The zones as they were read back, in the order of their addresses; the end of `before` touches the array
// and so does the start of `after`. Counts whole units of unit_bytes (the array's element), because single
// bytes of a written value may equal the pattern by chance. A hit behind the array is told before one in
// front of it.
std::optional<GuardHit> find_guard_hit(std::span<const std::byte> before, std::span<const std::byte> after,
                                       std::byte pattern = guard_pattern(), std::size_t unit_bytes = 1);

// A line that a program should print and did not.
struct PrintedDifference {
  std::string name;
  double expected = 0;
  std::string printed = {};  // what stands behind the name; empty where no line begins with it
};

// The first number that is missing, or wrong; none where all are there. Lines that begin with other words are
// the program's own business. A number that is printed twice is right twice.
std::optional<PrintedDifference> first_difference(const std::string& output, const PrintedNumbers& expected);

// Of the typical outputs that for which the program's is that, and which is not right; null if there is none.
const TypicalOutput* typical_output(const std::string& output, const ProgramTask& task, std::size_t size);

// The number behind that name, where a line begins with it.
std::optional<double> printed_number(const std::string& name, const std::string& output);

// As programs print numbers: "499500", "0.25".
std::string number_text(double value);

// Whether the bytes have all these numbers, each as often, in any order: all as float, int, double or 64-bit
// integers.
bool holds(std::string_view bytes, const std::vector<double>& numbers);

}  // namespace gpulab::run::validate
