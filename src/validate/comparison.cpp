#include "validate/comparison.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace gpulab::validate {
namespace {

void require_comparable(const Array& actual, const Array& expected) {
  const std::string pair = "'" + actual.name() + "' and its reference ";
  if (actual.bytes().data() == expected.bytes().data())
    throw std::logic_error(pair + "are the same memory: nothing is compared with itself");
  if (actual.length() != expected.length() || actual.type() != expected.type())
    throw std::logic_error(pair + "differ in length or type");
}

// Every value of the element types is exact in double, int32 and uint32 included.
template <class T>
void count_wrong(std::span<const T> actual, std::span<const T> expected, Comparison& comparison) {
  const Tolerance tolerance = comparison.tolerance;
  const std::size_t length = actual.size();
  std::size_t wrong = 0;
  double largest_error = 0;
#pragma omp parallel for simd reduction(+ : wrong) reduction(max : largest_error) if (length >= worth_threads)
  for (std::size_t i = 0; i < length; ++i) {
    const double a = static_cast<double>(actual[i]);
    const double e = static_cast<double>(expected[i]);
    const double error = std::abs(a - e);
    wrong += is_close(a, e, tolerance) ? 0 : 1;
    largest_error = error > largest_error ? error : largest_error;
  }
  comparison.wrong = wrong;
  comparison.largest_error = largest_error;
}

template <class T>
void keep_first(std::span<const T> actual, std::span<const T> expected, Comparison& comparison) {
  const std::size_t wanted = std::min(comparison.wrong, differences_kept);
  // Bounded by the length too: rounding may make this differ from the vectorised loop at the very tolerance.
  for (std::size_t i = 0; i < actual.size() && comparison.first.size() < wanted; ++i) {
    const double a = static_cast<double>(actual[i]);
    const double e = static_cast<double>(expected[i]);
    if (!is_close(a, e, comparison.tolerance)) comparison.first.push_back({i, e, a});
  }
}

}  // namespace

Comparison compare(const Array& actual, const Array& expected, Tolerance tolerance) {
  require_comparable(actual, expected);
  return with_type(actual.type(), [&](auto zero) {
    using T = decltype(zero);
    Comparison comparison{.checked = actual.length(), .tolerance = std::is_integral_v<T> ? exact : tolerance};
    count_wrong(actual.as<T>(), expected.as<T>(), comparison);
    keep_first(actual.as<T>(), expected.as<T>(), comparison);
    return comparison;
  });
}

}  // namespace gpulab::validate
