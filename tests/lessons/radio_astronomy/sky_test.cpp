#include "radio_astronomy/synthetic_sky.hpp"

#include "radio_astronomy/clipping.hpp"
#include "radio_astronomy/git_blob.hpp"
#include "radio_astronomy/marked_picture.hpp"
#include "radio_astronomy/published_figures.hpp"
#include "radio_astronomy/source_table.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace sky_test {

std::vector<float> synthetic_sky(std::size_t width, std::size_t height, std::uint64_t seed) {
  std::vector<float> image(width * height, -7);
  fill_synthetic_sky(image, width, seed);
  return image;
}

TEST(SyntheticSky, DependsOnItsSeedAlone) {
  EXPECT_EQ(synthetic_sky(130, 90, 42), synthetic_sky(130, 90, 42));
  EXPECT_NE(synthetic_sky(130, 90, 42), synthetic_sky(130, 90, 43));
}

// Expects the noise, without the tails that clipping removes, and sources far above it.
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

// The examples of NIST for SHA-1 (FIPS 180 example values), and the empty message.
TEST(Sha1, MatchesThePublishedExamples) {
  EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(sha1(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

// From coreutils' sha1sum: lengths around the end of a block, where the padding takes one block or two.
TEST(Sha1, PadsMessagesOfAnyLength) {
  EXPECT_EQ(sha1(std::string(55, 'x')), "cef734ba81a024479e09eb5a75b6ddae62e6abf1");
  EXPECT_EQ(sha1(std::string(56, 'x')), "901305367c259952f4e7af8323f480d59f81335b");
  EXPECT_EQ(sha1(std::string(63, 'x')), "0ddc4e0cccd9a12850deb5abb0853a4425559fec");
  EXPECT_EQ(sha1(std::string(64, 'x')), "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163");
}

TEST(GitBlob, HashesAsGitDoes) {
  EXPECT_EQ(git_blob_hash(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_hash("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
}

TEST(GitBlob, ReadsAFileAndHasNoHashForOneThatIsMissing) {
  const auto file = std::filesystem::path(testing::TempDir()) / "gpulab_git_blob_test";
  std::ofstream(file) << "hello\n";
  EXPECT_EQ(git_blob_hash_of_file(file), "ce013625030ba8dba906f756967f9e9ca394464a");
  std::filesystem::remove(file);
  EXPECT_EQ(git_blob_hash_of_file(file), "");
}

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

const std::vector<Source> two{{.x = 1.5, .y = 0.1, .flux = 1e-20, .peak = 0.25f, .pixels = 3},
                              {.x = 2, .y = 1.0 / 3, .flux = 4, .peak = 0.1f, .pixels = 70000}};

TEST(SourceTable, HasARowForEverySourceWithItsLabel) {
  const Records records = source_records(two, "Jy/beam");
  EXPECT_EQ(records.columns, (std::vector<std::string>{"label", "x", "y", "flux", "peak", "pixels"}));
  EXPECT_EQ(records.units, (std::vector<std::string>{"", "pixel", "pixel", "Jy/beam", "Jy/beam", ""}));
  ASSERT_EQ(records.rows.size(), 2u);
  EXPECT_EQ(records.rows[0], (std::vector<double>{1, 1.5, 0.1, 1e-20, 0.25, 3}));
  EXPECT_EQ(records.rows[1][0], 2);
}

TEST(SourceTable, IsWrittenAsCsvWithEveryDigit) {
  EXPECT_EQ(source_csv(two),
            "label,x,y,flux,peak,pixels\n"
            "1,1.5,0.1,1e-20,0.25,3\n"
            "2,2,0.3333333333333333,4,0.1,70000\n");
  EXPECT_EQ(source_csv({}), "label,x,y,flux,peak,pixels\n");
}

TEST(PublishedFigures, TakeTheBrightestSource) {
  const Figures figures = figures_of(2.5, 0.013, {{.flux = 1}, {.flux = 7}, {.flux = 3}});
  EXPECT_EQ(figures.sources, 3);
  EXPECT_EQ(figures.brightest, 7);
  EXPECT_EQ(figures_of(2.5, 0.013, {}).brightest, 0);
}

TEST(PublishedFigures, AreConfirmedToTheDigitsThatTheCoursePrints) {
  EXPECT_EQ(compared_with_course(
                {.maximum = 2.50561, .sigma = 0.0133412, .sources = 185, .brightest = 363.5893777401}),
            "this is the course's own image; as the course publishes: sources 185, brightest flux "
            "363.58937774, sigma after clipping 0.01334, maximum 2.506");
}

TEST(PublishedFigures, AreSaidToDiffer) {
  const std::string text =
      compared_with_course({.maximum = 2.506, .sigma = 0.01335, .sources = 184, .brightest = 363.5893778});
  EXPECT_TRUE(contains(text, "as the course publishes: maximum 2.506; "));
  EXPECT_TRUE(contains(text,
                       "other than it publishes: sources 184 (published: 185), brightest flux 363.58937780 "
                       "(published: 363.58937774), sigma after clipping 0.01335 (published: 0.01334)"));
}

}  // namespace sky_test
}  // namespace gpulab::lessons::radio_astronomy
