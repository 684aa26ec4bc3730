#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpulab::lessons::radio_astronomy {

// Source of a catalogue. Pixel coordinates have 0, 0 in the middle of the first pixel.
struct Source {
  double x = 0;  // the centre, weighted by intensity: sum(x * value) / flux, as scipy.ndimage.center_of_mass
  double y = 0;
  double flux = 0;  // the sum of its pixels, in the unit of the image
  float peak = 0;   // the highest of them
  int pixels = 0;
};

// Returns the sources with the labels 1 to count, in that order. If the flux is 0, the centre is infinite or
// NaN.
std::vector<Source> measure(std::span<const float> image, std::span<const std::int32_t> labels,
                            std::size_t width, int count);

// Measures on all CPU threads; sums differ in their last bits, because they are added up in another order.
std::vector<Source> measure_openmp(std::span<const float> image, std::span<const std::int32_t> labels,
                                   std::size_t width, int count);

}  // namespace gpulab::lessons::radio_astronomy
