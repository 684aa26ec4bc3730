#include "radio_astronomy/clipping.hpp"

#include "lesson/arrays.hpp"
#include "lessons/radio_astronomy/every_steps.hpp"
#include "test.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_clipping_test {

class RadioClipping : public OnCpu {
 protected:
  Noise clipped(const std::vector<float>& image) const { return steps().find_noise(image); }
};

TEST_P(RadioClipping, KeepsWhatLiesWithinThreeSigma) {
  const Noise noise = clipped({1, 2, 3, 4});
  EXPECT_EQ(noise.median, 2.5);
  EXPECT_NEAR(noise.sigma, std::sqrt(1.25), 1e-15);
  EXPECT_EQ(noise.kept, 4u);
  EXPECT_EQ(noise.rounds, 1);
}

TEST_P(RadioClipping, TakesTheMiddleOneOfAnOddNumberOfValues) {
  EXPECT_EQ(clipped({5, -7, 1}).median, 1);
  EXPECT_EQ(clipped({-5, -7, -1}).median, -5);
}

TEST_P(RadioClipping, TakesTheMeanOfMiddleValuesThatLieFarApart) {
  EXPECT_EQ(clipped({-1000, -1, 3, 1000}).median, 1);
  EXPECT_EQ(clipped({-4, -2}).median, -3);
}

// 20 values of -1 and 1 and one of 100: sigma is 21.3, so 100 is dropped; then sigma is 1 and no more is.
TEST_P(RadioClipping, DropsAnOutlierAndStops) {
  std::vector<float> image{100};
  for (int i = 0; i < 10; ++i) image.insert(image.end(), {-1, 1});
  const Noise noise = clipped(image);
  EXPECT_EQ(noise.kept, 20u);
  EXPECT_EQ(noise.median, 0);
  EXPECT_EQ(noise.sigma, 1);
  EXPECT_EQ(noise.rounds, 2);
}

// The variance is (9 + 9) / 18, so sigma is 1, and both values lie on a bound.
TEST_P(RadioClipping, DropsAValueThatIsExactlyThreeSigmaAway) {
  std::vector<float> image(16, 0.0f);
  image.insert(image.end(), {-3, 3});
  const Noise noise = clipped(image);
  EXPECT_EQ(noise.kept, 16u);
  EXPECT_EQ(noise.sigma, 0);
}

TEST_P(RadioClipping, KeepsAnImageOfEqualPixels) {
  const Noise noise = clipped(std::vector<float>(1000, 0.1f));
  EXPECT_EQ(noise.median, double{0.1f});
  EXPECT_EQ(noise.sigma, 0);
  EXPECT_EQ(noise.kept, 1000u);
  EXPECT_EQ(clipped({-2.5f}).median, -2.5);
  EXPECT_EQ(clipped({-2.5f}).sigma, 0);
}

TEST_P(RadioClipping, IgnoresBlanksAndInfinities) {
  const Noise noise = clipped({blank, 1, infinite, 2, blank, 3, -infinite, 4});
  EXPECT_EQ(noise.median, 2.5);
  EXPECT_NEAR(noise.sigma, std::sqrt(1.25), 1e-15);
  EXPECT_EQ(noise.kept, 4u);
}

TEST_P(RadioClipping, FindsNoNoiseInAnImageWithoutValues) {
  for (const std::vector<float>& image : {std::vector<float>{}, {blank}, {blank, infinite, blank}}) {
    const Noise noise = clipped(image);
    EXPECT_TRUE(std::isnan(noise.median));
    EXPECT_TRUE(std::isnan(noise.sigma));
    EXPECT_EQ(noise.kept, 0u);
  }
}

// A Gaussian without its tails is narrower: cut at 3 times its own width again and again, it ends at 0.985
// sigma.
TEST_P(RadioClipping, RecoversTheWidthOfGaussianNoiseUnderBrightSources) {
  std::vector<float> image(200'000);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const float radius = std::sqrt(-2 * std::log(1 - random_float(7, 2 * i)));
    image[i] = 0.5f + 0.01f * radius * std::cos(6.2831853f * random_float(7, 2 * i + 1));
    if (i % 1000 == 0) image[i] += 20;
  }
  const Noise noise = clipped(image);
  EXPECT_NEAR(noise.median, 0.5, 1e-4);
  EXPECT_NEAR(noise.sigma, 0.009848, 1e-4);
  EXPECT_GT(noise.kept, 198'000u);
  EXPECT_LT(noise.kept, 199'800u);
}

TEST_P(RadioClipping, FindsTheSameNoiseInAReversedOrNegatedImage) {
  std::vector<float> image(10'007);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = random_float(3, i) / (random_float(4, i) + 0.01f);
  const Noise noise = clipped(image);
  EXPECT_GT(noise.rounds, 3);
  const Noise reversed = clipped({image.rbegin(), image.rend()});
  EXPECT_EQ(reversed.median, noise.median);
  EXPECT_EQ(reversed.kept, noise.kept);
  for (float& value : image) value = -value;
  const Noise negated = clipped(image);
  EXPECT_EQ(negated.median, -noise.median);
  EXPECT_EQ(negated.kept, noise.kept);
  EXPECT_NEAR(negated.sigma, noise.sigma, 1e-12 * noise.sigma);
}

INSTANTIATE_TEST_SUITE_P(Both, RadioClipping, both_ways, name_of_way);

}  // namespace radio_astronomy_clipping_test
}  // namespace gpulab::lessons::radio_astronomy
