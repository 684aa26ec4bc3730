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

// One plane of float32 pixels, row-major, rows in file order (FITS: bottom row first; PNG: top row first).
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> pixels;
  std::size_t blanks = 0;      // pixels without a value, stored as NaN
  std::string unit;            // unit of the pixels, such as "Jy/beam"; empty if unknown
  std::filesystem::path file;  // the file it was read from
  std::string pixel_type;      // as stored: "int16", "float32", "8-bit palette"
};

// Reads a FITS or PNG file, recognised by its first bytes, not its name. Throws UsageError with one sentence
// that says what is wrong with the file and what to do.
Image read_image(const std::filesystem::path& file);

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Colour&, const Colour&) = default;
};

// A picture for people: 8 bits per colour, row-major, top row first.
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

// Draws a circle one pixel wide around the centre of pixel (x, y), clipped to the picture. All values are in
// pixels; draws nothing if any value is infinite or NaN.
void draw_circle(Picture& picture, double x, double y, double radius, Colour colour);

// Values shown as black and white; those in between in proportion.
struct GreyScale {
  float black = 0;
  float white = 1;
};

// Maps one percentile of the pixels to black and another to white, each by nearest rank, so that a few bright
// sources do not darken the rest. Ignores NaN; returns {0, 1} if all pixels are NaN. Requires 0 <=
// black_percent <= white_percent <= 100.
GreyScale percentile_scale(std::span<const float> pixels, double black_percent, double white_percent);

// Returns 0 for NaN and for values up to scale.black, 255 for values from scale.white on. If the two are
// equal, returns 0 for that value and 255 above it.
std::uint8_t grey_level(float value, const GreyScale& scale);

// Makes a picture of width x height values, top row first.
Picture grey_picture(std::span<const float> pixels, std::size_t width, std::size_t height,
                     const GreyScale& scale);

// Throws UsageError if PNG cannot hold that size. For callers that have not made the picture yet.
void require_picture_size(std::size_t width, std::size_t height);

// Encodes the picture as PNG, 8-bit RGB. Throws UsageError if PNG cannot hold its size.
std::string png_bytes(const Picture& picture);

// Returns the error for a file that ends before its image does.
UnreadableFile cut_short(const std::filesystem::path& file);

// Throws unless the image has at least one pixel, and at most 2^31 - 2^21: kernels index with int, and one
// grid stride past the last pixel must not overflow.
void require_possible_size(const std::filesystem::path& file, std::uint64_t width, std::uint64_t height);

// Returns the offset of the first header of an image with two or more axes. Skips tables by their size alone:
// CFITSIO would read their headers, too, and a damaged one can crash CFITSIO. `name` is for messages. Throws
// UsageError.
std::size_t find_fits_image(std::string_view contents, const std::filesystem::path& name);

// Reads the first image with two or more axes from a FITS file's contents; further axes must have length 1,
// as in radio images for frequency and polarisation. Converts every BITPIX to float32 with BSCALE and BZERO
// (FITS Standard 4.0, section 4.4.2). BLANK, NaN and infinite pixels become NaN. `name` is for messages.
// Throws UsageError.
Image read_fits(std::string contents, const std::filesystem::path& name);

// Reads a PNG image from a file's contents. Scales samples to [0, 1] without gamma correction, converts
// colours to luminance, 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601, section 2.5.1), and drops transparency.
// `name` is for messages. Throws UsageError.
Image read_png(std::string_view contents, const std::filesystem::path& name);

}  // namespace gpulab::image
