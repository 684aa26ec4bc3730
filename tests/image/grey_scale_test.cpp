#include "image/image.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace gpulab::image {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

TEST(GreyLevel, IsLinearBetweenTheLimits) {
  const GreyScale scale{.black = 10, .white = 265};
  EXPECT_EQ(grey_level(10, scale), 0);
  EXPECT_EQ(grey_level(11, scale), 1);
  EXPECT_EQ(grey_level(137.4f, scale), 127);
  EXPECT_EQ(grey_level(137.6f, scale), 128);
  EXPECT_EQ(grey_level(264, scale), 254);
  EXPECT_EQ(grey_level(265, scale), 255);
}

TEST(GreyLevel, EndsAtBlackAndWhite) {
  EXPECT_EQ(grey_level(-1, {}), 0);
  EXPECT_EQ(grey_level(2, {}), 255);
  EXPECT_EQ(grey_level(-infinity, {}), 0);
  EXPECT_EQ(grey_level(infinity, {}), 255);
  EXPECT_EQ(grey_level(0, {.black = -largest, .white = largest}), 128);
}

TEST(GreyLevel, IsBlackWithoutAValue) {
  EXPECT_EQ(grey_level(nan, {}), 0);
}

TEST(GreyLevel, HasOneStepWhereBlackIsWhite) {
  const GreyScale scale{.black = 3, .white = 3};
  EXPECT_EQ(grey_level(3, scale), 0);
  EXPECT_EQ(grey_level(3.1f, scale), 255);
}

TEST(PercentileScale, TakesTheNearestRank) {
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(100 - i);
  const GreyScale scale = percentile_scale(values, 1, 99);
  EXPECT_EQ(scale.black, 1);
  EXPECT_EQ(scale.white, 99);
  EXPECT_EQ(percentile_scale(values, 0, 100).black, 1);
  EXPECT_EQ(percentile_scale(values, 0, 100).white, 100);
}

TEST(PercentileScale, LeavesOutWhatIsNotANumber) {
  const GreyScale scale = percentile_scale(std::vector<float>{nan, 4, nan, 2, nan}, 0, 100);
  EXPECT_EQ(scale.black, 2);
  EXPECT_EQ(scale.white, 4);
}

TEST(PercentileScale, IsFromZeroToOneWithoutValues) {
  EXPECT_EQ(percentile_scale({}, 1, 99).white, 1);
  EXPECT_EQ(percentile_scale(std::vector<float>{nan}, 1, 99).black, 0);
}

TEST(GreyPicture, HasThePixelsInTheirPlaces) {
  const Picture picture = grey_picture(std::vector<float>{0, 0.2f, 0.4f, 0.6f, 0.8f, 1}, 3, 2, {});
  EXPECT_EQ(picture.width(), 3u);
  EXPECT_EQ(picture.height(), 2u);
  EXPECT_EQ(picture.at(1, 0), (Colour{51, 51, 51}));
  EXPECT_EQ(picture.at(0, 1), (Colour{153, 153, 153}));
  EXPECT_THROW(grey_picture(std::vector<float>(5), 3, 2, {}), std::logic_error);
}

}  // namespace
}  // namespace gpulab::image
