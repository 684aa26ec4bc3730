#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "image/image.hpp"

namespace gpulab::image {

// "cannot read sky.fits: WHY"; why also says what to do.
UsageError unreadable(const std::filesystem::path& file, const std::string& why);

// The file ends before its image does.
UsageError cut_short(const std::filesystem::path& file);

// Throws unless the image has a pixel, and at most as many as an int can index.
void require_possible_size(const std::filesystem::path& file, std::uint64_t width, std::uint64_t height);

// Where in the contents of a FITS file the header begins of its first image with two axes or more. Tables are
// passed over by their size alone: CFITSIO would read their headers too, and damaged ones can stop the
// process there. The name of the file is for messages. Throws UsageError.
std::size_t find_fits_image(std::string_view contents, const std::filesystem::path& name);

// The first image of a FITS file that has two axes or more, from the contents of the file; further axes must
// have length 1, as radio images have them for frequency and polarisation. Every BITPIX is converted to
// float32 with BSCALE and BZERO (FITS Standard 4.0, section 4.4.2). Pixels that are BLANK, NaN or infinite
// become NaN. The name of the file is for messages. Throws UsageError.
Image read_fits(std::string contents, const std::filesystem::path& name);

// A PNG image, from the contents of the file. Samples are scaled to [0, 1] and not corrected for gamma; of a
// colour the luminance is taken, 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601, section 2.5.1); transparency is
// left out. The name of the file is for messages. Throws UsageError.
Image read_png(std::string_view contents, const std::filesystem::path& name);

}  // namespace gpulab::image
