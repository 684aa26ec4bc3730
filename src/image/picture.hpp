#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulab {

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

}  // namespace gpulab
