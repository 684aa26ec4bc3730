#pragma once

#include <cstddef>
#include <span>

#include "convolution/border.hpp"
#include "convolution/filter.hpp"

namespace gpulab::lessons::convolution {

struct Frame {
  std::size_t width = 0;
  std::size_t height = 0;
};

// Computes output(x, y) = the sum over i, j of filter(i, j) * image(x + filter width / 2 - i, y + filter
// height / 2 - j), on one thread, summed in double. Image and output have the size of the frame.
void convolve(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
              std::span<float> output);

// Computes the same on all threads, in float32: in tiles that fit the caches, and within a tile in patches
// whose sums stay in vector registers; in two passes if the filter is separable.
void convolve_openmp(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
                     std::span<float> output);

}  // namespace gpulab::lessons::convolution
