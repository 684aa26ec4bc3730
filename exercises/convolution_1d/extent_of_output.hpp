#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace gpulab::lessons::convolution_1d {

// Range of the computed outputs among the size + taps - 1 places where the filter overlaps the input.
struct OutputPlaces {
  std::size_t size = 0;
  std::size_t offset = 0;  // places left out at the beginning
};

// Returns the outputs of a mode of numpy.convolve. 'full': all; 'same': those in the middle, as many as the
// longer of input and filter has; 'valid': where the shorter lies inside the longer. Neither may be empty.
inline OutputPlaces output_places(const std::string& mode, std::size_t size, std::size_t taps) {
  const auto [shorter, longer] = std::minmax(size, taps);
  if (mode == "same") return {longer, (shorter - 1) / 2};
  if (mode == "valid") return {longer - shorter + 1, shorter - 1};
  return {size + taps - 1, 0};
}

}  // namespace gpulab::lessons::convolution_1d
