#include "image/image.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "image/fits_bytes.hpp"
#include "image/png_bytes.hpp"
#include "test.hpp"

namespace gpulab::image {
namespace {

using namespace std::string_literals;

class ReadImage : public testing::Test {
 protected:
  ReadImage() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpulab-image-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~ReadImage() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::string& name, const std::string& contents) const {
    std::ofstream(folder / name, std::ios::binary) << contents;
    return folder / name;
  }

  // Returns the message after the name of the file.
  static std::string refusal(const std::filesystem::path& file) {
    const std::string sentence = message_thrown<UsageError>([&] { read_image(file); });
    const std::string beginning = "cannot read " + file.string() + ": ";
    return sentence.starts_with(beginning) ? sentence.substr(beginning.size()) : sentence;
  }

  std::filesystem::path folder;
};

const std::string fits = fits_image<float>({2, 1}, {1, 2});
const std::string png = png_file({}, "\0\xff"s);

TEST_F(ReadImage, GoesByTheContentsAndNotByTheName) {
  EXPECT_EQ(read_image(write("sky.png", fits)).pixel_type, "float32");
  EXPECT_EQ(read_image(write("sky.fits", png)).pixel_type, "8-bit grey");
}

TEST_F(ReadImage, TakesEveryNameLiterally) {
  for (const char* name : {"a.fits[1]", "!x", "~x.fits", " x", "x.fits(y)", "x.fits+1", "-", "x%41", "\xff"})
    EXPECT_EQ(read_image(write(name, fits)).file, folder / name);
  write("y.fits.gz", fits);  // CFITSIO by itself would open it in place of y.fits
  EXPECT_EQ(refusal(folder / "y.fits"), "there is no such file; check its name and folder");
}

TEST_F(ReadImage, ReadsAFileInTheWorkingFolder) {
  const auto before = std::filesystem::current_path();
  write("~x.fits", fits);
  std::filesystem::current_path(folder);
  const std::string answer = message_thrown<UsageError>([] { read_image("~x.fits"); });
  std::filesystem::current_path(before);
  EXPECT_EQ(answer, "");
}

TEST_F(ReadImage, RefusesWhatIsNoFile) {
  EXPECT_EQ(refusal(folder / "none.fits"), "there is no such file; check its name and folder");
  EXPECT_EQ(refusal(""), "there is no such file; check its name and folder");
  EXPECT_EQ(refusal(write("x", fits) / "y"), "there is no such file; check its name and folder");
  EXPECT_EQ(refusal(folder), "it is a folder; name a FITS or PNG file in it");
  EXPECT_EQ(refusal("/dev/null"), "it is a pipe or a device; write its data to a file first");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "pipe"), "it is a pipe or a device; write its data to a file first");
  EXPECT_EQ(refusal(std::string(5000, 'x')), "File name too long; check its name and permissions");
}

TEST_F(ReadImage, SaysWhatIsWrongWithTheContents) {
  const std::string no_image = "it is neither FITS nor PNG; convert it to one of them";
  const std::string cut = "it ends before its image does; copy or download it again";
  EXPECT_EQ(refusal(write("x.png", "some text\n")), no_image);
  EXPECT_EQ(refusal(write("x.jpg", "\xff\xd8\xff\xe0")), no_image);
  EXPECT_EQ(refusal(write("x.fits", "SIMPLE")), no_image);
  EXPECT_EQ(refusal(write("x.fits.gz", "\x1f\x8b\x08")),
            "it is compressed with gzip; unpack it first, with gunzip");
  EXPECT_EQ(refusal(write("x.fits", "")), "it is empty; copy or download it again");
  EXPECT_EQ(refusal(write("x.fits", fits.substr(0, fits_block))), cut);
  EXPECT_EQ(refusal(write("x.png", png.substr(0, 20))), cut);
}

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

TEST(GreyLevel, EndsAtBlackAndWhiteAndIsBlackWithoutAValue) {
  EXPECT_EQ(grey_level(nan, {}), 0);
  EXPECT_EQ(grey_level(-1, {}), 0);
  EXPECT_EQ(grey_level(2, {}), 255);
  EXPECT_EQ(grey_level(-infinity, {}), 0);
  EXPECT_EQ(grey_level(infinity, {}), 255);
  EXPECT_EQ(grey_level(0, {.black = -largest, .white = largest}), 128);
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

constexpr Colour red{255, 0, 0};

// Returns one line for each row, with # where something was drawn.
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

TEST(DrawCircle, DrawsNothingWithoutANumberOrWithANegativeRadius) {
  EXPECT_EQ(circle(nan, 3, 2), nothing);
  EXPECT_EQ(circle(3, infinity, 2), nothing);
  EXPECT_EQ(circle(3, 3, nan), nothing);
  EXPECT_EQ(circle(3, 3, -2), nothing);
}

TEST(Picture, StartsBlack) {
  EXPECT_EQ(Picture(2, 2).at(1, 1), Colour{});
}

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
      message_thrown<UsageError>([] { png_bytes(Picture(1'000'001, 1)); }),
      "cannot make a PNG of 1 000 001 x 1 pixels: a side has at most 1 000 000; make a smaller picture");
  EXPECT_NE(message_thrown<UsageError>([] { png_bytes(Picture(0, 1)); }), "");
}

}  // namespace
}  // namespace gpulab::image
