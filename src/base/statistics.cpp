#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace gpulab {

namespace {

constexpr double confidence_level = 0.95;

// C(n, k) / 2^n, with logarithms because 2^-n underflows from n = 1075 on.
double binomial_half(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  const double log_choose = log_factorial(n) - log_factorial(k) - log_factorial(n - k);
  return std::exp(log_choose - static_cast<double>(n) * std::numbers::ln2);
}

}  // namespace

double median(std::vector<double> samples) {
  if (samples.empty()) throw std::logic_error("an empty sample has no median");
  std::ranges::sort(samples);
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

std::optional<MedianRanks> median_ranks(std::size_t count) {
  const double max_in_one_tail = (1 - confidence_level) / 2;
  std::size_t low = 0;
  // tail: P(B <= low), where B is the number of samples below the median.
  for (double tail = binomial_half(count, 0); tail <= max_in_one_tail; tail += binomial_half(count, low))
    ++low;
  if (low == 0) return std::nullopt;
  return MedianRanks{.low = low, .high = count + 1 - low};
}

}  // namespace gpulab
