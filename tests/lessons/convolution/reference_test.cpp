#include "convolution/reference.hpp"

#include "convolution/settings.hpp"
#include "lesson/arrays.hpp"
#include "test.hpp"

// Tests properties of every convolution, however it is computed.

namespace gpulab::lessons::convolution {
namespace convolution_reference_test {

using Pixels = std::vector<float>;
using Convolve = void (*)(const Frame&, std::span<const float>, const Filter&, Border, std::span<float>);

class ConvolutionReference : public testing::TestWithParam<Convolve> {
 protected:
  static Pixels convolved(const Frame& frame, const Pixels& image, const Filter& filter, Border border) {
    Pixels output(image.size(), -1);
    GetParam()(frame, image, filter, border, output);
    return output;
  }
};

INSTANTIATE_TEST_SUITE_P(Both, ConvolutionReference, testing::Values(&convolve, &convolve_openmp),
                         [](const auto& info) { return info.index == 0 ? "Plain" : "OpenMp"; });

Pixels noise(std::size_t size, std::uint64_t seed) {
  Pixels pixels(size);
  for (std::size_t i = 0; i < size; ++i) pixels[i] = 2 * random_float(seed, i) - 1;
  return pixels;
}

Filter random_filter(std::size_t width, std::size_t height) {
  return {width, height, noise(width * height, 3)};
}

double sum(const Pixels& pixels) {
  return std::accumulate(pixels.begin(), pixels.end(), 0.0);
}

void expect_close(const Pixels& actual, const Pixels& expected, double bound) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], bound) << "pixel " << i;
}

constexpr Border every_border[] = {Border::zero, Border::clamp, Border::mirror};

TEST_P(ConvolutionReference, TurnsASingleBrightPixelIntoACopyOfTheFilter) {
  const Frame frame{90, 41};
  const Filter filter = random_filter(3, 5);
  Pixels image(frame.width * frame.height);
  image[20 * frame.width + 66] = 1;
  const Pixels output = convolved(frame, image, filter, Border::zero);
  for (std::size_t y = 0; y < frame.height; ++y)
    for (std::size_t x = 0; x < frame.width; ++x) {
      const bool is_inside = x >= 65 && x <= 67 && y >= 18 && y <= 22;
      ASSERT_EQ(output[y * frame.width + x], is_inside ? filter.at(x - 65, y - 18) : 0) << x << ", " << y;
    }
}

TEST_P(ConvolutionReference, TurnsEveryDiracIntoACopyOfTheCoursesFilter) {
  const Frame frame{256, 256};
  Pixels image(frame.width * frame.height);
  fill_dirac_grid(image, frame.width);
  EXPECT_EQ(sum(image), 256);
  const Pixels output = convolved(frame, image, gaussian_filter(15), Border::zero);
  EXPECT_NEAR(sum(output), 256 * 72.19017490222913, 1e-3);
  EXPECT_EQ(output[8 * 256 + 8], 1.0f);
  EXPECT_EQ(output[0], 0.0f);
}

TEST_P(ConvolutionReference, IsLinear) {
  const Frame frame{70, 35};
  const Pixels a = noise(70 * 35, 1), b = noise(70 * 35, 2);
  Pixels mixed(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) mixed[i] = 3 * a[i] - 2 * b[i];
  for (const Border border : every_border) {
    const Filter filter = random_filter(7, 5);
    const Pixels of_a = convolved(frame, a, filter, border), of_b = convolved(frame, b, filter, border);
    Pixels expected(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) expected[i] = 3 * of_a[i] - 2 * of_b[i];
    expect_close(convolved(frame, mixed, filter, border), expected, 1e-4);
  }
}

// This holds at every size, also for one pixel and for filters several times as large as the image.
TEST_P(ConvolutionReference, KeepsAUniformImageUniformWhereTheBorderContinuesIt) {
  for (const Frame& frame : {Frame{1, 1}, Frame{1, 9}, Frame{5, 2}, Frame{65, 33}})
    for (const Filter& filter : {box_filter(1), gaussian_filter(15), random_filter(15, 5)})
      for (const Border border : {Border::clamp, Border::mirror}) {
        const Pixels image(frame.width * frame.height, 2);
        const Pixels expected(image.size(), static_cast<float>(2 * sum(filter.values)));
        expect_close(convolved(frame, image, filter, border), expected, 1e-4);
      }
}

TEST_P(ConvolutionReference, ConservesFluxThatStaysInside) {
  const Frame frame{40, 40};
  Pixels image(frame.width * frame.height);
  for (std::size_t y = 10; y < 30; ++y)
    for (std::size_t x = 10; x < 30; ++x) image[y * 40 + x] = random_float(7, y * 40 + x);
  const Pixels output = convolved(frame, image, box_filter(9), Border::zero);
  EXPECT_NEAR(sum(output), sum(image), 1e-3);
}

// A mirrored border is an image that was mirrored beforehand.
TEST_P(ConvolutionReference, MirrorsAsAnImageThatWasMirroredByHand) {
  const std::size_t width = 6, height = 4;
  const Pixels image = noise(width * height, 5);
  const Frame larger{3 * width, 3 * height};
  Pixels mirrored(larger.width * larger.height);
  for (std::size_t y = 0; y < larger.height; ++y)
    for (std::size_t x = 0; x < larger.width; ++x) {
      const std::size_t row = y / height == 1 ? y % height : height - 1 - y % height;
      const std::size_t column = x / width == 1 ? x % width : width - 1 - x % width;
      mirrored[y * larger.width + x] = image[row * width + column];
    }
  const Filter filter = random_filter(13, 9);  // reaches no farther than the copies
  const Pixels expected = convolved(larger, mirrored, filter, Border::zero);
  const Pixels actual = convolved({width, height}, image, filter, Border::mirror);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      EXPECT_NEAR(actual[y * width + x], expected[(y + height) * larger.width + x + width], 1e-5);
}

TEST(ConvolutionReferences, AgreeOnImagesThatFillNoPatchAndNoTile) {
  for (const Frame& frame : {Frame{1, 1}, Frame{63, 31}, Frame{65, 33}, Frame{200, 5}, Frame{3, 100},
                             Frame{530, 7}, Frame{7, 250}, Frame{2100, 9}})
    for (const Filter& filter : {gaussian_filter(15), random_filter(5, 9), random_filter(3, 3),
                                 random_filter(1, 33), random_filter(1, 1)})
      for (const Border border : every_border) {
        const Pixels image = noise(frame.width * frame.height, 11);
        Pixels plain(image.size()), openmp(image.size());
        convolve(frame, image, filter, border, plain);
        convolve_openmp(frame, image, filter, border, openmp);
        expect_close(openmp, plain, 1e-4);
      }
}

TEST(Border, GivesThePixelForAnIndexBeyondTheImage) {
  const auto around = [](Border border) {
    std::vector<int> sources;
    for (int index = -4; index < 7; ++index)
      sources.push_back(static_cast<int>(border_index(index, 3, border)));
    return sources;
  };
  EXPECT_EQ(around(Border::zero), (std::vector<int>{-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1}));
  EXPECT_EQ(around(Border::clamp), (std::vector<int>{0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(around(Border::mirror), (std::vector<int>{2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0}));
}

}  // namespace convolution_reference_test
}  // namespace gpulab::lessons::convolution
