#pragma once

#include <filesystem>
#include <string>

#include "image/image.hpp"

namespace gpulab {

// The first image of a FITS file that has two axes or more, from the contents of the file; further axes must
// have length 1, as radio images have them for frequency and polarisation. Every BITPIX is converted to
// float32 with BSCALE and BZERO (FITS Standard 4.0, section 4.4.2). Pixels that are BLANK, NaN or infinite
// become NaN. The name of the file is for messages. Throws UsageError.
Image read_fits(std::string contents, const std::filesystem::path& name);

}  // namespace gpulab
