#pragma once

#include <string>

#include "image/picture.hpp"

namespace gpulab {

// The picture as the bytes of a PNG file, 8-bit RGB. Throws UsageError when PNG cannot hold its size.
std::string png_bytes(const Picture& picture);

}  // namespace gpulab
