#pragma once

#include <cstddef>

#include "convolution/filter.hpp"

namespace gpulab::lessons::convolution {

// How many rows of the result, and how many columns, are computed at a time.
struct PatchShape {
  std::size_t rows = 1, columns = 1;
};
PatchShape shape_of_patches();

// As many rows of a result as a patch has, `columns` of each from x on, a multiple of those of a patch:
//   output[row * stride + column] = the sum over i, j of filter(i, j) * rows[row + j][x + column + i]
// in float32. The filter has at least as many rows as a patch, less one. It runs in the image's own
// direction.
void correlate_rows(const float* const* rows, std::size_t x, const Filter& filter, std::size_t columns,
                    float* output, std::size_t stride);

}  // namespace gpulab::lessons::convolution
