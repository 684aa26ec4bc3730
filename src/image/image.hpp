#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

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

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Colour&, const Colour&) = default;
};

// What is shown to people: 8 bits per colour, row-major, the topmost row first.
class Picture {
 public:
  Picture(std::size_t width, std::size_t height) : width_(width), height_(height), pixels_(width * height) {}

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  Colour& at(std::size_t x, std::size_t y) { return pixels_[y * width_ + x]; }
  const Colour& at(std::size_t x, std::size_t y) const { return pixels_[y * width_ + x]; }
  const std::vector<Colour>& pixels() const { return pixels_; }

 private:
  std::size_t width_, height_;
  std::vector<Colour> pixels_;
};

// Draws the rim, one pixel wide, around the middle of pixel (x, y); what lies outside the picture is left
// out. All in pixels; nothing is drawn where one of them is infinite or NaN.
void draw_circle(Picture& picture, double x, double y, double radius, Colour colour);

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

// Throws UsageError when PNG cannot hold a picture of that size: before it is made.
void require_picture_size(std::size_t width, std::size_t height);

// The picture as the bytes of a PNG file, 8-bit RGB. Throws UsageError when PNG cannot hold its size.
std::string png_bytes(const Picture& picture);

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
