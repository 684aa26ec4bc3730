#include "image/grey_scale.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpulab {
namespace {

float percentile(std::vector<float>& values, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  const auto index = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

}  // namespace

GreyScale percentile_scale(std::span<const float> pixels, double black_percent, double white_percent) {
  std::vector<float> values;
  values.reserve(pixels.size());
  std::copy_if(pixels.begin(), pixels.end(), std::back_inserter(values),
               [](float pixel) { return !std::isnan(pixel); });
  if (values.empty()) return {};
  return {.black = percentile(values, black_percent), .white = percentile(values, white_percent)};
}

std::uint8_t grey_level(float value, const GreyScale& scale) {
  if (!(value > scale.black)) return 0;
  if (value >= scale.white) return 255;
  const double black = scale.black;
  return static_cast<std::uint8_t>(std::lround(255 * (value - black) / (scale.white - black)));
}

Picture grey_picture(std::span<const float> pixels, std::size_t width, std::size_t height,
                     const GreyScale& scale) {
  if (pixels.size() != width * height) throw std::logic_error("a picture needs width x height values");
  Picture picture(width, height);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      const std::uint8_t level = grey_level(pixels[row * width + column], scale);
      picture.at(column, row) = {level, level, level};
    }
  return picture;
}

}  // namespace gpulab
