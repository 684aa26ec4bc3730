#include "radio_astronomy/synthetic_sky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "radio_astronomy/clipping.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_synthetic_sky_test {

std::vector<float> synthetic_sky(std::size_t width, std::size_t height, std::uint64_t seed) {
  std::vector<float> image(width * height, -7);
  fill_synthetic_sky(image, width, seed);
  return image;
}

TEST(SyntheticSky, DependsOnItsSeedAlone) {
  EXPECT_EQ(synthetic_sky(130, 90, 42), synthetic_sky(130, 90, 42));
  EXPECT_NE(synthetic_sky(130, 90, 42), synthetic_sky(130, 90, 43));
}

// The noise, less the tails that clipping takes from it, and sources far above it.
TEST(SyntheticSky, IsNoiseWithSources) {
  const std::vector<float> image = synthetic_sky(700, 500, 1);
  const Noise noise = clip(image);
  EXPECT_NEAR(noise.sigma, 0.985f * synthetic_sigma, 0.01f * synthetic_sigma);
  EXPECT_NEAR(noise.median, 0, 0.01f * synthetic_sigma);
  EXPECT_GT(*std::ranges::max_element(image), 20 * synthetic_sigma);
}

TEST(SyntheticSky, CanHaveAnyShape) {
  for (const std::size_t width : {1u, 2u, 97u})
    for (const std::size_t height : {1u, 3u, 50u})
      for (const float pixel : synthetic_sky(width, height, 5)) EXPECT_LT(std::abs(pixel), 3);
}

}  // namespace radio_astronomy_synthetic_sky_test
}  // namespace gpulab::lessons::radio_astronomy
