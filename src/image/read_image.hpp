#pragma once

#include <filesystem>

#include "image/image.hpp"

namespace gpulab {

// Reads a FITS or a PNG file; its first bytes tell which, whatever its name. Throws UsageError, with one
// sentence that says what is wrong with the file and what to do.
Image read_image(const std::filesystem::path& file);

}  // namespace gpulab
