#pragma once

#include <cstddef>
#include <span>

namespace gpulab::lessons::radio_astronomy {

// Noise of an image after kappa-sigma clipping, in the unit of the image.
struct Noise {
  double median = 0;
  double sigma = 0;      // the standard deviation of the whole population
  std::size_t kept = 0;  // values that were not clipped
  int rounds = 0;        // how often median and sigma were computed
};

// Distance from the median that a value may have, in sigma.
constexpr double kappa = 3;

// Clips as the course does: keeps the values between median - 3 sigma and median + 3 sigma, both excluded,
// until none is clipped. Values that are not finite are ignored. Without spread there is nothing to clip, so
// an image of equal pixels keeps them all, with a sigma of 0. An image without values has NaN for both.
Noise clip(std::span<const float> image);

// Clips on all CPU threads, without copying or sorting: two bounds say which values are kept, and counting
// finds the median.
Noise clip_openmp(std::span<const float> image);

}  // namespace gpulab::lessons::radio_astronomy
