#pragma once

#include <cstddef>

namespace gpulab {

// The least multiple that is no smaller than the size.
constexpr std::size_t rounded_up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace gpulab
