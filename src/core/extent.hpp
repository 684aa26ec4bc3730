#pragma once

#include <cstddef>
#include <string>

namespace gpulab {

// Sizes in x, y and z, as CUDA's dim3.
struct Extent {
  unsigned x = 1, y = 1, z = 1;
  std::size_t volume() const { return std::size_t{x} * y * z; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

// As dim3 is written in code, without the sizes of 1 at its end: "256", "(16, 16)", "(8, 8, 4)".
std::string text_of(const Extent& extent);

}  // namespace gpulab
