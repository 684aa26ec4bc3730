#pragma once

#include <cstddef>
#include <span>

namespace gpulab::lessons::convolution {

// Fills the image of the course: 1 at every 16th pixel of every 16th row, from pixel 8 of row 8 on, and 0
// elsewhere. A convolution puts a copy of the filter at each of them.
void fill_dirac_grid(std::span<float> image, std::size_t width);

}  // namespace gpulab::lessons::convolution
