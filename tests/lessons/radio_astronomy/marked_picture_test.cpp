#include "radio_astronomy/marked_picture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_marked_picture_test {

bool is_grey(const image::Colour& colour) {
  return colour.red == colour.green && colour.green == colour.blue;
}

TEST(MarkedPicture, HasACircleAroundEverySourceAndItsPixelsInGrey) {
  std::vector<float> image(60 * 40, 0.0f);
  image[30 * 60 + 20] = 1;
  const image::Picture picture =
      marked_picture(image, 60, {{.x = 20, .y = 30, .flux = 1, .peak = 1, .pixels = 1}});
  ASSERT_EQ(picture.width(), 60u);
  ASSERT_EQ(picture.height(), 40u);
  EXPECT_EQ(picture.at(20, 30), (image::Colour{255, 255, 255}));
  int marked = 0;
  for (std::size_t y = 0; y < 40; ++y)
    for (std::size_t x = 0; x < 60; ++x) {
      const double dx = static_cast<double>(x) - 20, dy = static_cast<double>(y) - 30;
      if (is_grey(picture.at(x, y))) continue;
      ++marked;
      EXPECT_GT(dx * dx + dy * dy, 3 * 3) << x << ", " << y;
      EXPECT_LT(dx * dx + dy * dy, 6 * 6) << x << ", " << y;
    }
  EXPECT_GT(marked, 16);
}

TEST(MarkedPicture, DrawsCirclesThatLeaveTheImage) {
  const image::Picture picture = marked_picture(std::vector<float>(5), 5, {{.x = 0, .y = 0, .pixels = 400}});
  EXPECT_EQ(picture.height(), 1u);
}

}  // namespace radio_astronomy_marked_picture_test
}  // namespace gpulab::lessons::radio_astronomy
