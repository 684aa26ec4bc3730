#include "program/runtime/textures.hpp"

#include <bit>

#include "test.hpp"

// Compares texture fetches with the formulas in the CUDA programming guide's appendix on texture fetching.

namespace gpulab::program::runtime {
namespace {

template <class T>
Texels texels_of(const std::vector<T>& values, TexelFormat format, std::size_t width, std::size_t height = 1,
                 std::size_t depth = 1) {
  return {
      reinterpret_cast<std::uintptr_t>(values.data()), format, width, height, depth, width * format.bytes()};
}

float float_at(const Texels& texels, const Sampling& sampling, const Fetch& fetch, unsigned channel = 0) {
  return std::bit_cast<float>(fetched(texels, sampling, fetch)[channel]);
}

// A one-dimensional texture of four elements, 10 20 30 40.
class RowTest : public testing::Test {
 protected:
  float at(float x) const {
    return float_at(texels_of(values, {}, 4), sampling, {.shape = gpulab_fetch_1d, .x = x});
  }
  void repeat(cudaTextureAddressMode mode) {
    sampling.address_modes[0] = mode;
    sampling.has_normalised_coordinates = true;
  }

  std::vector<float> values{10, 20, 30, 40};
  Sampling sampling;
};

using TextureOfARow = RowTest;

TEST_F(TextureOfARow, GivesTheElementInWhichTheCoordinateLies) {
  EXPECT_EQ(at(0), 10);
  EXPECT_EQ(at(1.99f), 20);
  EXPECT_EQ(at(2), 30);
}

TEST_F(TextureOfARow, RepeatsTheLastElementWhereItClamps) {
  EXPECT_EQ(at(-5), 10);
  EXPECT_EQ(at(4), 40);
  EXPECT_EQ(at(INFINITY), 40);
  EXPECT_EQ(at(-INFINITY), 10);
}

TEST_F(TextureOfARow, GivesTheColourOfItsBorder) {
  sampling.address_modes[0] = cudaAddressModeBorder;
  EXPECT_EQ(at(-0.1f), 0);
  sampling.border[0] = 7;
  EXPECT_EQ(at(4), 7);
  EXPECT_EQ(at(3.9f), 40);
}

TEST_F(TextureOfARow, WrapsByTheFractionOfTheCoordinate) {
  repeat(cudaAddressModeWrap);
  EXPECT_EQ(at(1.125f), 10);
  EXPECT_EQ(at(-0.125f), 40);
  EXPECT_EQ(at(1), 10);
}

TEST_F(TextureOfARow, MirrorsEverySecondTime) {
  repeat(cudaAddressModeMirror);
  EXPECT_EQ(at(1.125f), 40);
  EXPECT_EQ(at(1.875f), 10);
  EXPECT_EQ(at(-0.3f), 20);
  EXPECT_EQ(at(2.3f), 20);
}

TEST_F(TextureOfARow, ClampsInsteadOfWrappingWithoutNormalisedCoordinates) {
  sampling.address_modes[0] = cudaAddressModeWrap;
  EXPECT_EQ(at(5), 40);
}

TEST_F(TextureOfARow, InterpolatesBetweenCentres) {
  sampling.is_linear = true;
  EXPECT_EQ(at(0.5f), 10);
  EXPECT_EQ(at(1), 15);
  EXPECT_EQ(at(1.75f), 22.5f);
  EXPECT_EQ(at(0), 10);
  sampling.address_modes[0] = cudaAddressModeBorder;
  EXPECT_EQ(at(0), 5);
}

TEST_F(TextureOfARow, InterpolatesOverTheSeamWhereItWraps) {
  repeat(cudaAddressModeWrap);
  sampling.is_linear = true;
  EXPECT_EQ(at(0), 25);
  EXPECT_EQ(at(1), 25);
  EXPECT_EQ(at(0.9375f), 0.75f * 40 + 0.25f * 10);
}

TEST_F(TextureOfARow, RoundsTheWeightTo256ths) {
  sampling.is_linear = true;
  EXPECT_EQ(at(0.5f + 0.001f), 10);
  EXPECT_EQ(at(0.5f + 0.003f), 10 + 10.0f / 256);
  EXPECT_EQ(at(1.5f - 0.001f), 20);
}

TEST_F(TextureOfARow, ReadsNoElementOfWeightZero) {
  static int reads;
  reads = 0;
  sampling.is_linear = true;
  const Texels texels = texels_of(values, {}, 4);
  const auto count = [](std::uintptr_t, std::size_t bytes, const void*) { reads += bytes == 4; };
  fetched(texels, sampling, {.shape = gpulab_fetch_1d, .x = 1.5f}, count);
  EXPECT_EQ(reads, 1);
  fetched(texels, sampling, {.shape = gpulab_fetch_1d, .x = 2}, count);
  EXPECT_EQ(reads, 3);
}

TEST_F(TextureOfARow, IsZeroAtAnIndexOutside) {
  const auto at_index = [&](int i) {
    return float_at(texels_of(values, {}, 4), {}, {.shape = gpulab_fetch_linear, .layer = i});
  };
  EXPECT_EQ(at_index(3), 40);
  EXPECT_EQ(at_index(4), 0);
  EXPECT_EQ(at_index(-1), 0);
}

TEST(Texture, InterpolatesInTwoAndThreeDimensions) {
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  Sampling sampling{.is_linear = true};
  EXPECT_EQ(float_at(texels_of(values, {}, 2, 2), sampling, {.x = 1, .y = 0.75f}), 0.5f + 2 * 0.25f);
  EXPECT_EQ(float_at(texels_of(values, {}, 2, 2, 2), sampling,
                     {.shape = gpulab_fetch_3d, .x = 1, .y = 1, .z = 1.25f}),
            4.5f);
}

TEST(Texture, ChoosesALayerAndStaysInIt) {
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  Sampling sampling{.is_linear = true};
  const Texels two = texels_of(values, {}, 2, 2, 2), four = texels_of(values, {}, 2, 1, 4);
  EXPECT_EQ(float_at(two, sampling, {.shape = gpulab_fetch_2d_layered, .x = 1, .y = 1, .layer = 1}), 5.5f);
  EXPECT_EQ(float_at(two, sampling, {.shape = gpulab_fetch_2d_layered, .x = 1, .y = 1, .layer = 9}), 5.5f);
  EXPECT_EQ(float_at(four, sampling, {.shape = gpulab_fetch_1d_layered, .x = 1, .layer = 2}), 4.5f);
}

TEST(Texture, FindsTheFaceOfACube) {
  std::vector<float> values;
  for (int face = 0; face < 12; ++face)
    for (int i = 0; i < 4; ++i) values.push_back(static_cast<float>(10 * face + i));
  const Texels cubes = texels_of(values, {}, 2, 2, 12);
  const auto at = [&](float x, float y, float z, int cube = 0) {
    return float_at(cubes, {},
                    {.shape = gpulab_fetch_cubemap_layered, .x = x, .y = y, .z = z, .layer = cube});
  };
  EXPECT_EQ(at(1, 0.5f, 0.5f), 0);     // +x: s falls with z, t falls with y
  EXPECT_EQ(at(-2, 1, 1), 11);         // -x: s grows with z
  EXPECT_EQ(at(0.5f, 1, 0.5f), 23);    // +y
  EXPECT_EQ(at(0.5f, -1, 0.5f), 31);   // -y
  EXPECT_EQ(at(0.5f, -0.5f, 1), 43);   // +z
  EXPECT_EQ(at(0.5f, -0.5f, -1), 52);  // -z
  EXPECT_EQ(at(0.5f, -0.5f, -1, 1), 112);
}

TEST(Texture, GathersOneChannelOfFourElements) {
  const std::vector<float> values{0, 1, 2, 3};
  const auto four = fetched(texels_of(values, {}, 2, 2), {}, {.shape = gpulab_fetch_gather, .x = 1, .y = 1});
  EXPECT_EQ(std::bit_cast<float>(four[0]), 2);
  EXPECT_EQ(std::bit_cast<float>(four[1]), 3);
  EXPECT_EQ(std::bit_cast<float>(four[2]), 1);
  EXPECT_EQ(std::bit_cast<float>(four[3]), 0);
}

TEST(Texture, NormalisesIntegers) {
  const std::vector<unsigned char> bytes{255, 51, 0, 128};
  const TexelFormat four_bytes{cudaChannelFormatKindUnsigned, 8, 4};
  const Sampling normalised{.is_normalised_float = true};
  EXPECT_EQ(float_at(texels_of(bytes, four_bytes, 1), normalised, {}, 0), 1);
  EXPECT_EQ(float_at(texels_of(bytes, four_bytes, 1), normalised, {}, 1), 0.2f);
  const std::vector<short> shorts{-32768, -32767, 32767};
  const TexelFormat one_short{cudaChannelFormatKindSigned, 16, 1};
  EXPECT_EQ(float_at(texels_of(shorts, one_short, 3), normalised, {.x = 0}), -1);
  EXPECT_EQ(float_at(texels_of(shorts, one_short, 3), normalised, {.x = 1}), -1);
  EXPECT_EQ(float_at(texels_of(shorts, one_short, 3), normalised, {.x = 2}), 1);
  Sampling srgb = normalised;
  srgb.is_srgb = true;
  EXPECT_NEAR(float_at(texels_of(bytes, four_bytes, 1), srgb, {}, 1), 0.0331f, 1e-4f);
}

TEST(Texture, GivesIntegersWithTheirSign) {
  const std::vector<signed char> bytes{-3, 100};
  const auto texel = fetched(texels_of(bytes, {cudaChannelFormatKindSigned, 8, 2}, 1), {}, {});
  EXPECT_EQ(static_cast<int>(texel[0]), -3);
  EXPECT_EQ(texel[1], 100u);
  EXPECT_EQ(texel[2], 0u);
}

TEST(Texture, ReadsHalfPrecision) {
  const std::vector<unsigned short> halves{0x3C00, 0xC100, 0x0001, 0x7C00, 0x8000};
  const Texels texels = texels_of(halves, {cudaChannelFormatKindFloat, 16, 1}, 5);
  EXPECT_EQ(float_at(texels, {}, {.x = 0}), 1);
  EXPECT_EQ(float_at(texels, {}, {.x = 1}), -2.5f);
  EXPECT_EQ(float_at(texels, {}, {.x = 2}), std::ldexp(1.0f, -24));
  EXPECT_EQ(float_at(texels, {}, {.x = 3}), INFINITY);
  EXPECT_TRUE(std::signbit(float_at(texels, {}, {.x = 4})));
}

TEST(TexelFormat, HasOneTwoOrFourChannelsOfOneSize) {
  EXPECT_EQ(format_of({32, 0, 0, 0, cudaChannelFormatKindFloat}),
            (TexelFormat{cudaChannelFormatKindFloat, 32, 1}));
  EXPECT_EQ(format_of({8, 8, 8, 8, cudaChannelFormatKindUnsigned})->bytes(), 4u);
  EXPECT_FALSE(format_of({32, 32, 32, 0, cudaChannelFormatKindFloat}));
  EXPECT_FALSE(format_of({32, 16, 0, 0, cudaChannelFormatKindSigned}));
  EXPECT_FALSE(format_of({8, 0, 0, 0, cudaChannelFormatKindFloat}));
  EXPECT_FALSE(format_of({0, 0, 0, 0, cudaChannelFormatKindNone}));
}

}  // namespace
}  // namespace gpulab::program::runtime
