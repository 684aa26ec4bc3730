#include "image/image.hpp"

#include <gtest/gtest.h>

#include "image/formats.hpp"
#include "image/image.hpp"
#include "image/refusal.hpp"

namespace gpulab::image {
namespace {

TEST(PngBytes, AreReadBackUnchanged) {
  std::vector<float> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 255;
  const Image image = read_png(png_bytes(grey_picture(values, 32, 8, {})), "back.png");
  EXPECT_EQ(image.width, 32u);
  EXPECT_EQ(image.height, 8u);
  EXPECT_EQ(image.pixels, values);
  EXPECT_EQ(image.pixel_type, "8-bit RGB");
}

TEST(PngBytes, KeepTheColoursApart) {
  Picture picture(3, 1);
  picture.at(0, 0) = {255, 0, 0};
  picture.at(1, 0) = {0, 255, 0};
  picture.at(2, 0) = {0, 0, 255};
  EXPECT_EQ(read_png(png_bytes(picture), "back.png").pixels, (std::vector<float>{0.299f, 0.587f, 0.114f}));
}

TEST(PngBytes, RefuseAPictureThatPngCannotHold) {
  EXPECT_EQ(
      refusal_of([] { png_bytes(Picture(1'000'001, 1)); }),
      "cannot make a PNG of 1 000 001 x 1 pixels: a side has at most 1 000 000; make a smaller picture");
  EXPECT_NE(refusal_of([] { png_bytes(Picture(0, 1)); }), "not refused");
}

}  // namespace
}  // namespace gpulab::image
