#pragma once

#include <cstddef>

#include "convolution/filter.hpp"

namespace gpulab::lessons::convolution {

// Rows and columns of the result that are computed at a time.
struct PatchShape {
  std::size_t rows = 1, columns = 1;
};
PatchShape shape_of_patches();

// Computes the rows of one patch, `columns` of each from x on, a multiple of the patch's columns:
//   output[row * stride + column] = the sum over i, j of filter(i, j) * rows[row + j][x + column + i]
// in float32. The filter runs in the direction of the image, and has at most one row fewer than a patch, or
// more rows.
void correlate_rows(const float* const* rows, std::size_t x, const Filter& filter, std::size_t columns,
                    float* output, std::size_t stride);

}  // namespace gpulab::lessons::convolution
