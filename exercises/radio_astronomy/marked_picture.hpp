#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "image/image.hpp"
#include "radio_astronomy/measurement.hpp"

namespace gpulab::lessons::radio_astronomy {

// Returns the image in grey with a circle around every source, as large as its pixels would be. The first row
// is topmost, as y counts. Grey covers the values of most pixels, so that sources stand out white.
image::Picture marked_picture(std::span<const float> image, std::size_t width,
                              const std::vector<Source>& sources);

}  // namespace gpulab::lessons::radio_astronomy
