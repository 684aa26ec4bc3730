#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gpulab::image {

// One plane of float32 pixels: row-major, rows in the order of the file (of FITS the first is shown lowest,
// of PNG topmost).
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> pixels;
  std::size_t blanks = 0;      // pixels without a value: they are NaN
  std::string unit;            // of the pixels, such as "Jy/beam"; empty when the file does not tell
  std::filesystem::path file;  // where it was read from
  std::string pixel_type;      // as stored: "int16", "float32", "8-bit palette"
};

// Reads a FITS or a PNG file; its first bytes tell which, whatever its name. Throws UsageError, with one
// sentence that says what is wrong with the file and what to do.
Image read_image(const std::filesystem::path& file);

}  // namespace gpulab::image
