#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "image/picture.hpp"

namespace gpulab {

// Values in between are shown in proportion.
struct GreyScale {
  float black = 0;
  float white = 1;
};

// Black at one percentile of the pixels and white at another, each the nearest rank, so that a few bright
// sources do not leave the rest dark. NaN is left out; [0, 1] when nothing else is there.
// Requires 0 <= black_percent <= white_percent <= 100.
GreyScale percentile_scale(std::span<const float> pixels, double black_percent, double white_percent);

// 0 for black and below, and for NaN; 255 for white and above. Where both are the same value: 255 above it.
std::uint8_t grey_level(float value, const GreyScale& scale);

// The picture of width x height values, its first row topmost.
Picture grey_picture(std::span<const float> pixels, std::size_t width, std::size_t height,
                     const GreyScale& scale);

}  // namespace gpulab
