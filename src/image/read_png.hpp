#pragma once

#include <filesystem>
#include <string_view>

#include "image/image.hpp"

namespace gpulab {

// A PNG image, from the contents of the file. Samples are scaled to [0, 1] and not corrected for gamma; of a
// colour the luminance is taken, 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601, section 2.5.1); transparency is
// left out. The name of the file is for messages. Throws UsageError.
Image read_png(std::string_view contents, const std::filesystem::path& name);

}  // namespace gpulab
