#include "radio_astronomy/measurement.hpp"

#include "lesson/arrays.hpp"
#include "lessons/radio_astronomy/every_steps.hpp"
#include "test.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_measurement_test {

class RadioMeasurement : public OnCpu {};

// Weighted by intensity: x = (1 * 1 + 2 * 3) / 4 in the first row, and so on.
TEST_P(RadioMeasurement, WeightsTheCentreByIntensity) {
  const std::vector<float> image{9, 1, 3,  //
                                 9, 0, 0,  //
                                 5, 9, 9};
  const std::vector<std::int32_t> labels{0, 1, 1,  //
                                         0, 1, 1,  //
                                         2, 0, 0};
  const std::vector<Source> sources = steps().measure(image, labels, 3, 2);
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].x, 1.75);
  EXPECT_EQ(sources[0].y, 0);
  EXPECT_EQ(sources[0].flux, 4);
  EXPECT_EQ(sources[0].peak, 3);
  EXPECT_EQ(sources[0].pixels, 4);
  EXPECT_EQ(sources[1].x, 0);
  EXPECT_EQ(sources[1].y, 2);
  EXPECT_EQ(sources[1].flux, 5);
  EXPECT_EQ(sources[1].pixels, 1);
}

TEST_P(RadioMeasurement, GivesASourceWithoutFluxNoCentre) {
  const std::vector<float> image{-2, 2, 0, -1};
  const std::vector<Source> sources = steps().measure(image, std::vector<std::int32_t>{1, 1, 2, 3}, 4, 3);
  EXPECT_FALSE(std::isfinite(sources[0].x));
  EXPECT_TRUE(std::isnan(sources[1].y));
  EXPECT_EQ(sources[0].flux, 0);
  EXPECT_EQ(sources[0].peak, 2);
  EXPECT_EQ(sources[2].peak, -1);
  EXPECT_EQ(sources[2].x, 3);
}

TEST_P(RadioMeasurement, FindsNothingWhereNothingIsLabelled) {
  const std::vector<float> image{1, blank, 2};
  EXPECT_TRUE(steps().measure(image, std::vector<std::int32_t>(3), 3, 0).empty());
}

// Every pixel has one of 50 labels: the sums over all labels are those of the image.
TEST_P(RadioMeasurement, ConservesFluxAndPixels) {
  std::vector<float> image(300 * 200);
  std::vector<std::int32_t> labels(image.size());
  double total = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    image[i] = random_float(5, i);
    labels[i] = static_cast<std::int32_t>(random_bits(6, i) % 50) + 1;
    total += image[i];
  }
  double flux = 0, moment_x = 0;
  int pixels = 0;
  for (const Source& source : steps().measure(image, labels, 300, 50)) {
    flux += source.flux;
    moment_x += source.x * source.flux;
    pixels += source.pixels;
  }
  EXPECT_NEAR(flux, total, 1e-9 * total);
  EXPECT_EQ(pixels, 300 * 200);
  EXPECT_NEAR(moment_x / flux, 149.5, 1);
}

TEST_P(RadioMeasurement, MovesTheCentresWithTheImage) {
  const std::vector<float> image{0, 0, 0, 0, 0,  //
                                 0, 4, 2, 0, 0,  //
                                 0, 1, 0, 0, 0};
  std::vector<float> moved(image.size());
  std::vector<std::int32_t> labels(image.size()), moved_labels(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) labels[i] = image[i] > 0;
  for (std::size_t i = 0; i + 2 < image.size(); ++i)
    moved[i + 2] = image[i], moved_labels[i + 2] = labels[i];  // by two columns
  const Source before = steps().measure(image, labels, 5, 1)[0];
  const Source after = steps().measure(moved, moved_labels, 5, 1)[0];
  EXPECT_NEAR(after.x, before.x + 2, 1e-12);
  EXPECT_NEAR(after.y, before.y, 1e-12);
  EXPECT_EQ(after.flux, before.flux);
}

INSTANTIATE_TEST_SUITE_P(Both, RadioMeasurement, both_ways, name_of_way);

}  // namespace radio_astronomy_measurement_test
}  // namespace gpulab::lessons::radio_astronomy
