#include "image/image.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace gpulab::image {
namespace {

constexpr Colour red{255, 0, 0};

// One line for each row, # where something was drawn.
std::string drawn(const Picture& picture) {
  std::string text;
  for (std::size_t y = 0; y < picture.height(); ++y) {
    for (std::size_t x = 0; x < picture.width(); ++x) text += picture.at(x, y) == red ? '#' : '.';
    text += '\n';
  }
  return text;
}

std::string circle(double x, double y, double radius) {
  Picture picture(7, 6);
  draw_circle(picture, x, y, radius, red);
  return drawn(picture);
}

const std::string nothing = drawn(Picture(7, 6));

TEST(DrawCircle, DrawsTheRimAlone) {
  EXPECT_EQ(circle(3, 2, 2),
            "..###..\n"
            ".#...#.\n"
            ".#...#.\n"
            ".#...#.\n"
            "..###..\n"
            ".......\n");
}

TEST(DrawCircle, LeavesOutWhatIsOutside) {
  EXPECT_EQ(circle(0, 0, 2),
            "..#....\n"
            "..#....\n"
            "##.....\n"
            ".......\n"
            ".......\n"
            ".......\n");
  EXPECT_EQ(circle(-100, 3, 2), nothing);
  EXPECT_EQ(circle(3, 1e300, 2), nothing);
  EXPECT_EQ(circle(3, 3, 1e300), nothing);
}

TEST(DrawCircle, MarksOnePixelWhenTheRadiusIsZero) {
  EXPECT_EQ(circle(6, 5, 0),
            ".......\n"
            ".......\n"
            ".......\n"
            ".......\n"
            ".......\n"
            "......#\n");
}

TEST(DrawCircle, DrawsNothingWithoutANumber) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(circle(nan, 3, 2), nothing);
  EXPECT_EQ(circle(3, infinity, 2), nothing);
  EXPECT_EQ(circle(3, 3, nan), nothing);
}

TEST(DrawCircle, DrawsNothingWithANegativeRadius) {
  EXPECT_EQ(circle(3, 3, -2), nothing);
}

TEST(Picture, StartsBlack) {
  EXPECT_EQ(Picture(2, 2).at(1, 1), Colour{});
}

}  // namespace
}  // namespace gpulab::image
