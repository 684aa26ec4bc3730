#pragma once

#include <cstddef>
#include <string>

#include "image/picture.hpp"

namespace gpulab {

// Throws UsageError when PNG cannot hold a picture of that size: before it is made.
void require_picture_size(std::size_t width, std::size_t height);

// The picture as the bytes of a PNG file, 8-bit RGB. Throws UsageError when PNG cannot hold its size.
std::string png_bytes(const Picture& picture);

}  // namespace gpulab
