#include "convolution/reference.hpp"

namespace gpulab::lessons::convolution {

void convolve(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
              std::span<float> output) {
  const auto width = static_cast<std::ptrdiff_t>(frame.width),
             height = static_cast<std::ptrdiff_t>(frame.height);
  const auto filter_width = static_cast<std::ptrdiff_t>(filter.width);
  const auto filter_height = static_cast<std::ptrdiff_t>(filter.height);
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      double sum = 0;
      for (std::ptrdiff_t j = 0; j < filter_height; ++j) {
        const auto row = border_index(y + filter_height / 2 - j, height, border);
        if (row < 0) continue;
        for (std::ptrdiff_t i = 0; i < filter_width; ++i) {
          const auto column = border_index(x + filter_width / 2 - i, width, border);
          if (column >= 0) sum += double{filter.values[j * filter_width + i]} * image[row * width + column];
        }
      }
      output[y * width + x] = static_cast<float>(sum);
    }
  }
}

}  // namespace gpulab::lessons::convolution
