#include "radio_astronomy/clipping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gpulab::lessons::radio_astronomy {
namespace {

// Returns the median as numpy.median does: for an even number of values, the mean of the two in the middle.
// Reorders the values.
double median_of(std::vector<float>& values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (double{*std::max_element(values.begin(), middle)} + double{*middle}) / 2;
}

// Returns the standard deviation as numpy.std does, with sums in double.
double deviation_of(const std::vector<float>& values) {
  const double count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const float value : values) sum += value;
  const double mean = sum / count;
  for (const float value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count);
}

}  // namespace

Noise clip(std::span<const float> image) {
  std::vector<float> kept;
  std::ranges::copy_if(image, std::back_inserter(kept), [](float value) { return std::isfinite(value); });
  Noise noise;
  for (;;) {
    noise = {median_of(kept), deviation_of(kept), kept.size(), noise.rounds + 1};
    if (!(noise.sigma > 0)) return noise;
    const double lower = noise.median - kappa * noise.sigma, upper = noise.median + kappa * noise.sigma;
    std::erase_if(kept, [=](float value) { return !(value > lower && value < upper); });
    if (kept.size() == noise.kept) return noise;
  }
}

}  // namespace gpulab::lessons::radio_astronomy
