#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace gpulab {
namespace {

constexpr double confidence_level = 0.95;

// C(n, k) / 2^n, by logarithms because 2^-n underflows from n = 1075 on.
double binomial_half(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  const double log_choose = log_factorial(n) - log_factorial(k) - log_factorial(n - k);
  return std::exp(log_choose - static_cast<double>(n) * std::numbers::ln2);
}

double median_of_sorted(const std::vector<double>& sorted) {
  if (sorted.empty()) throw std::logic_error("no samples have no median");
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace

double median(std::vector<double> samples) {
  std::ranges::sort(samples);
  return median_of_sorted(samples);
}

std::optional<Ranks> median_ranks(std::size_t count) {
  const double most_in_one_tail = (1 - confidence_level) / 2;
  std::size_t low = 0;
  for (double tail = binomial_half(count, 0); tail <= most_in_one_tail; tail += binomial_half(count, low))
    ++low;
  if (low == 0) return std::nullopt;
  return Ranks{.low = low, .high = count + 1 - low};
}

Timing summarise(std::vector<double> samples_s, StopReason stop) {
  std::vector<double> sorted = samples_s;
  std::ranges::sort(sorted);
  Timing timing;
  timing.samples_s = std::move(samples_s);
  timing.median_s = median_of_sorted(sorted);
  timing.stop = stop;
  if (const auto ranks = median_ranks(sorted.size()))
    timing.confidence_s = Interval{.low = sorted[ranks->low - 1], .high = sorted[ranks->high - 1]};
  return timing;
}

}  // namespace gpulab
