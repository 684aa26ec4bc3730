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

// output(x, y) = the sum over i, j of filter(i, j) * image(x + width of the filter / 2 - i, y + height of it
// / 2 - j), on one thread, summed in double. Image and output have the size of the frame.
void convolve(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
              std::span<float> output);

// The same on all threads, in float32: tiles that fit the caches, of which a patch at a time is summed in
// vector registers; and in two passes where the filter is a column times a row.
void convolve_openmp(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
                     std::span<float> output);

}  // namespace gpulab::lessons::convolution
