#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/arrays.hpp"
#include "core/lesson.hpp"
#include "core/result.hpp"

namespace gpulab::validate {

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

}  // namespace gpulab::validate
