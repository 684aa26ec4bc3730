#pragma once

#include <cstddef>

namespace gpulab::lessons::convolution {

// What lies beyond the edges of an image. The kernels take the number.
enum class Border {
  zero = 0,    // nothing
  clamp = 1,   // the pixel at the edge, on and on
  mirror = 2,  // the image turned over at its edge, the pixel at the edge twice: 2 1 0 | 0 1 2 | 2 1 0
};

// Where the pixel at that index is taken from, for any size but 0; -1 where there is nothing.
constexpr std::ptrdiff_t source_of(std::ptrdiff_t index, std::ptrdiff_t size, Border border) {
  if (index >= 0 && index < size) return index;
  if (border == Border::zero) return -1;
  if (border == Border::clamp) return index < 0 ? 0 : size - 1;
  const std::ptrdiff_t place = (index % (2 * size) + 2 * size) % (2 * size);
  return place < size ? place : 2 * size - 1 - place;
}

}  // namespace gpulab::lessons::convolution
