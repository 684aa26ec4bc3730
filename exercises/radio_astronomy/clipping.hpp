#pragma once

#include <cstddef>
#include <span>

namespace gpulab::lessons::radio_astronomy {

// The noise of an image, as kappa-sigma clipping sees it, in the unit of the image.
struct Noise {
  double median = 0;
  double sigma = 0;      // the standard deviation of the whole population
  std::size_t kept = 0;  // values that were not clipped
  int rounds = 0;        // how often median and sigma were computed
};

// How many sigma from the median a value may be.
constexpr double kappa = 3;

// Kappa-sigma clipping as the course does it: of the values that are left, keep those between
// median - 3 sigma and median + 3 sigma, both excluded, until nothing more goes. What is not finite is no
// value. Where there is no spread there is nothing to clip, so an image of equal pixels keeps them all, with
// a sigma of 0. An image without values has NaN for both.
Noise clip(std::span<const float> image);

// The same on all CPU threads. Nothing is copied or sorted: what is kept lies between two bounds, and the
// median is found by counting.
Noise clip_openmp(std::span<const float> image);

}  // namespace gpulab::lessons::radio_astronomy
