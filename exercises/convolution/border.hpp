#pragma once

#include <cstddef>

namespace gpulab::lessons::convolution {

// Rule for what lies beyond the edges of an image. Kernels take the number.
enum class Border {
  zero = 0,    // nothing
  clamp = 1,   // the edge pixel, repeated
  mirror = 2,  // the image mirrored, the edge pixel twice: 2 1 0 | 0 1 2 | 2 1 0
};

// Returns where the pixel at that index is taken from, for any size but 0; -1 if there is none.
constexpr std::ptrdiff_t border_index(std::ptrdiff_t index, std::ptrdiff_t size, Border border) {
  if (index >= 0 && index < size) return index;
  if (border == Border::zero) return -1;
  if (border == Border::clamp) return index < 0 ? 0 : size - 1;
  const std::ptrdiff_t in_period = (index % (2 * size) + 2 * size) % (2 * size);
  return in_period < size ? in_period : 2 * size - 1 - in_period;
}

}  // namespace gpulab::lessons::convolution
