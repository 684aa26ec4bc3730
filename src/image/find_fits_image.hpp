#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace gpulab {

// Where in the contents of a FITS file the header begins of its first image with two axes or more. Tables are
// passed over by their size alone: CFITSIO would read their headers too, and damaged ones can stop the
// process there. The name of the file is for messages. Throws UsageError.
std::size_t find_fits_image(std::string_view contents, const std::filesystem::path& name);

}  // namespace gpulab
