#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "radio_astronomy/clipping.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool contains(float value) const { return value > lower && value < upper; }
};

// Returns the upper bits of an integer that compares as the float does: all bits of a negative number are
// inverted, and only the sign bit of others. There is no branch, because signs are random. So few bits are
// taken that the counters of all bins stay in the first-level cache.
std::size_t bin_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return static_cast<std::uint32_t>(bits ^ (bits >> 31 | std::numeric_limits<std::int32_t>::min())) >> 20;
}
constexpr std::size_t bins = 4096;

std::vector<std::size_t> count_bins(std::span<const float> image, const Bounds& bounds) {
  std::vector<std::size_t> counts(bins);
#pragma omp parallel
  {
    std::vector<std::size_t> mine(bins);
#pragma omp for nowait
    for (const float value : image)
      if (bounds.contains(value)) ++mine[bin_of(value)];
#pragma omp critical
    for (std::size_t bin = 0; bin < bins; ++bin) counts[bin] += mine[bin];
  }
  return counts;
}

// Returns the values in the bins first to last. One comparison is enough, as numbers below first wrap round
// to large ones.
std::vector<float> values_of_bins(std::span<const float> image, const Bounds& bounds, std::size_t first,
                                  std::size_t last) {
  std::vector<float> values;
#pragma omp parallel
  {
    std::vector<float> mine;
#pragma omp for nowait
    for (const float value : image)
      if (bin_of(value) - first <= last - first && bounds.contains(value)) mine.push_back(value);
#pragma omp critical
    values.insert(values.end(), mine.begin(), mine.end());
  }
  return values;
}

// Returns the bin of the value that has `rank` others before it; `rank` becomes the rank within the bin.
std::size_t bin_of_rank(const std::vector<std::size_t>& counts, std::size_t& rank) {
  std::size_t bin = 0;
  for (; rank >= counts[bin]; ++bin) rank -= counts[bin];
  return bin;
}

// Returns the median, from the bins of the two middle values, which are one value if `kept` is odd. Only the
// values of these bins have to be put in order.
double median_of(std::span<const float> image, const Bounds& bounds, const std::vector<std::size_t>& counts,
                 std::size_t kept) {
  if (kept == 0) return std::numeric_limits<double>::quiet_NaN();
  std::size_t low = (kept - 1) / 2, high = kept / 2;
  const std::size_t distance = high - low;
  const std::size_t first = bin_of_rank(counts, low), last = bin_of_rank(counts, high);
  std::vector<float> values = values_of_bins(image, bounds, first, last);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), middle, values.end());
  if (distance == 0) return *middle;
  return (double{*middle} + double{*std::min_element(middle + 1, values.end())}) / 2;
}

// Returns the standard deviation in one pass, about a value near the mean.
double deviation_of(std::span<const float> image, const Bounds& bounds, double pivot, std::size_t kept) {
  double sum = 0, squares = 0;
#pragma omp parallel for reduction(+ : sum, squares)
  for (const float value : image) {
    const double difference = bounds.contains(value) ? value - pivot : 0;
    sum += difference;
    squares += difference * difference;
  }
  const double count = static_cast<double>(kept);
  const double mean = sum / count;  // of the differences
  return std::sqrt(squares / count - mean * mean);
}

}  // namespace

Noise clip_openmp(std::span<const float> image) {
  Bounds bounds;
  Noise noise;
  for (;;) {
    const std::vector<std::size_t> counts = count_bins(image, bounds);
    const std::size_t kept = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (noise.rounds > 0 && kept == noise.kept) return noise;
    const double median = median_of(image, bounds, counts, kept);
    noise = {median, deviation_of(image, bounds, median, kept), kept, noise.rounds + 1};
    if (!(noise.sigma > 0)) return noise;
    bounds.lower = std::max(bounds.lower, median - kappa * noise.sigma);
    bounds.upper = std::min(bounds.upper, median + kappa * noise.sigma);
  }
}

}  // namespace gpulab::lessons::radio_astronomy
