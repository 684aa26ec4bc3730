#include "image/image.hpp"

#include "base/error.hpp"
#include "image/png_bytes.hpp"
#include "test.hpp"

namespace gpulab::image {
namespace {

using namespace std::string_literals;
using Pixels = std::vector<float>;

const std::string cut_short_sentence =
    "cannot read sky.png: it ends before its image does; copy or download it again";

Image decoded(const std::string& contents) {
  return read_png(contents, "sky.png");
}

std::string png_refusal(const std::string& contents) {
  return message_thrown<UsageError>([&] { decoded(contents); });
}

TEST(ReadPng, ScalesGreyToOne) {
  const Image image = decoded(png_file({.width = 2, .height = 2}, "\0\x00\xff\0\x33\x66"s));
  EXPECT_EQ(image.width, 2u);
  EXPECT_EQ(image.height, 2u);
  EXPECT_EQ(image.pixels, (Pixels{0, 1, 0.2f, 0.4f}));
  EXPECT_EQ(image.blanks, 0u);
  EXPECT_EQ(image.unit, "");
  EXPECT_EQ(image.file, "sky.png");
  EXPECT_EQ(image.pixel_type, "8-bit grey");
}

TEST(ReadPng, ReadsGreyOfFewBits) {
  const Image one_bit = decoded(png_file({.width = 3, .bits = 1}, "\0\xa0"s));
  EXPECT_EQ(one_bit.pixels, (Pixels{1, 0, 1}));
  EXPECT_EQ(one_bit.pixel_type, "1-bit grey");
  EXPECT_EQ(decoded(png_file({.width = 4, .bits = 2}, "\0\x1b"s)).pixels, (Pixels{0, 1 / 3.f, 2 / 3.f, 1}));
  EXPECT_EQ(decoded(png_file({.width = 2, .bits = 4}, "\0\x3f"s)).pixels, (Pixels{0.2f, 1}));
}

TEST(ReadPng, KeepsAll16Bits) {
  const Image image = decoded(png_file({.width = 3, .bits = 16}, "\0\x00\x01\x12\x34\xff\xff"s));
  EXPECT_EQ(image.pixels, (Pixels{1 / 65535.f, 0x1234 / 65535.f, 1}));
  EXPECT_EQ(image.pixel_type, "16-bit grey");
}

TEST(ReadPng, TakesTheLuminanceOfColours) {
  const Image image = decoded(png_file({.width = 4, .colour = PngColour::rgb},
                                       "\0\xff\x00\x00\x00\xff\x00\x00\x00\xff\x33\x33\x33"s));
  EXPECT_EQ(image.pixels, (Pixels{0.299f, 0.587f, 0.114f, 0.2f}));
  EXPECT_EQ(image.pixel_type, "8-bit RGB");
  const Image wide = decoded(png_file({.bits = 16, .colour = PngColour::rgb}, "\0\xff\xff\xff\xff\xff\xff"s));
  EXPECT_EQ(wide.pixels, (Pixels{1}));
}

TEST(ReadPng, LeavesTransparencyOut) {
  const Image grey = decoded(png_file({.width = 2, .colour = PngColour::grey_alpha}, "\0\x33\x00\x66\xff"s));
  EXPECT_EQ(grey.pixels, (Pixels{0.2f, 0.4f}));
  EXPECT_EQ(grey.pixel_type, "8-bit grey and alpha");
  const Image colour = decoded(png_file({.colour = PngColour::rgb_alpha}, "\0\xff\x00\x00\x01"s));
  EXPECT_EQ(colour.pixels, (Pixels{0.299f}));
  EXPECT_EQ(colour.pixel_type, "8-bit RGB and alpha");
  const std::string transparent_black = png_chunk("tRNS", "\0\0"s);
  EXPECT_EQ(decoded(png_file({.width = 2}, "\0\x00\xff"s, transparent_black)).pixels, (Pixels{0, 1}));
}

TEST(ReadPng, LooksUpThePalette) {
  const std::string palette = png_chunk("PLTE", "\xff\xff\xff\xff\x00\x00\x00\x00\xff\x33\x33\x33"s);
  const Image image =
      decoded(png_file({.width = 4, .bits = 2, .colour = PngColour::palette}, "\0\x1b"s, palette));
  EXPECT_EQ(image.pixels, (Pixels{1, 0.299f, 0.114f, 0.2f}));
  EXPECT_EQ(image.pixel_type, "2-bit palette");
  const std::string transparent = palette + png_chunk("tRNS", "\x00"s);
  EXPECT_EQ(decoded(png_file({.width = 2, .colour = PngColour::palette}, "\0\x00\x03"s, transparent)).pixels,
            (Pixels{1, 0.2f}));
}

TEST(ReadPng, DoesNotCorrectForGamma) {
  const std::string linear = png_chunk("gAMA", four_bytes(100000));
  EXPECT_EQ(decoded(png_file({}, "\0\x33"s, linear)).pixels, (Pixels{0.2f}));
}

// Adam7: seven passes over ever finer grids.
TEST(ReadPng, PutsInterlacedRowsTogether) {
  constexpr int side = 9;
  std::string rows;
  constexpr std::array<std::array<int, 4>, 7> passes{
      // first x, first y, step in x, step in y
      {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};
  for (const auto& [x, y, step_x, step_y] : passes)
    for (int row = y; row < side; row += step_y) {
      rows += '\0';
      for (int column = x; column < side; column += step_x) rows += static_cast<char>(row * side + column);
    }
  const Image image = decoded(png_file({.width = side, .height = side, .interlaced = true}, rows));
  for (std::size_t i = 0; i < side * side; ++i) EXPECT_EQ(image.pixels[i], static_cast<float>(i) / 255) << i;
}

TEST(ReadPng, RefusesEveryFileThatIsCutShort) {
  const std::string whole = png_file({.width = 2, .height = 2}, "\0\x00\xff\0\x33\x66"s);
  for (std::size_t size = png_signature.size(); size < whole.size(); ++size)
    ASSERT_EQ(png_refusal(whole.substr(0, size)), cut_short_sentence) << size;
}

TEST(ReadPng, NoticesEveryDamagedByteOfTheHeaderAndTheData) {
  const std::string whole = png_file({.width = 2, .height = 2}, "\0\x00\xff\0\x33\x66"s);
  constexpr std::size_t checksum_of_the_end = 4;  // which newer releases of libpng do not read
  for (std::size_t place = png_signature.size(); place < whole.size() - checksum_of_the_end; ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x40);
    EXPECT_NE(png_refusal(damaged), "") << place;
  }
}

TEST(ReadPng, SaysWhyItCannotReadAFileAndWhatToDo) {
  std::string damaged = png_file({}, "\0\x33"s);
  damaged[png_signature.size() + 8] = 1;  // the width, which the checksum covers
  const std::pair<std::string, std::string> refusals[] = {
      {damaged, "it is a damaged PNG file (libpng: IHDR: CRC error); copy or download it again"},
      {png_file({.height = 2}, "\0\x33"s),
       "it is a damaged PNG file (libpng: Not enough image data); copy or download it again"},
      {png_file({.width = 40000, .height = 40000}, "\0\x33"s),
       "it ends before its image does; copy or download it again"},
      {png_file({.width = 100000, .height = 100000}, "\0\x33"s),
       "its image has 100 000 x 100 000 pixels, and at most 2 145 386 496 are possible; cut out a part of it"}};
  for (const auto& [contents, sentence] : refusals)
    EXPECT_EQ(png_refusal(contents), "cannot read sky.png: " + sentence);
}

}  // namespace
}  // namespace gpulab::image
