#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpulab::lessons::radio_astronomy {

// Gives every connected component of the mask a label and returns how many there are. Pixels are connected if
// they share an edge. Labels are 1, 2, ... in the order of the components' first pixels, row by row, as
// scipy.ndimage.label numbers them; 0 is background. The mask has rows of `width` pixels, and fewer than
// 2^31.
int label(std::span<const std::uint8_t> mask, std::size_t width, std::span<std::int32_t> labels);

// Labels on all CPU threads, by runs of neighbouring pixels in a row.
int label_openmp(std::span<const std::uint8_t> mask, std::size_t width, std::span<std::int32_t> labels);

}  // namespace gpulab::lessons::radio_astronomy
