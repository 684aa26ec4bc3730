#include "image/image.hpp"

#include "base/error.hpp"
#include "image/fits_bytes.hpp"
#include "test.hpp"

namespace gpulab::image {
namespace {

using Pixels = std::vector<float>;

Image read(const std::string& contents) {
  return read_fits(contents, "sky.fits");
}

std::string refusal(const std::string& contents) {
  return message_thrown<UsageError>([&] { read(contents); });
}

TEST(ReadFits, KeepsTheRowsInTheOrderOfTheFile) {
  const Image image = read(fits_image<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(image.width, 3u);
  EXPECT_EQ(image.height, 2u);
  EXPECT_EQ(image.pixels, (Pixels{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(image.blanks, 0u);
  EXPECT_EQ(image.file, "sky.fits");
  EXPECT_EQ(image.pixel_type, "float32");
}

TEST(ReadFits, ReadsEveryBitpix) {
  const auto expect_read = [](const std::string& contents, const Pixels& pixels, const std::string& type) {
    const Image image = read(contents);
    EXPECT_EQ(image.pixels, pixels) << type;
    EXPECT_EQ(image.pixel_type, type);
  };
  expect_read(fits_image<std::uint8_t>({2, 1}, {0, 255}), {0, 255}, "uint8");
  expect_read(fits_image<std::int16_t>({2, 1}, {-32768, 32767}), {-32768, 32767}, "int16");
  expect_read(fits_image<std::int32_t>({2, 1}, {-8388608, 3}), {-8388608, 3}, "int32");
  expect_read(fits_image<std::int64_t>({2, 1}, {std::int64_t{1} << 60, -3}), {0x1p60f, -3}, "int64");
  expect_read(fits_image<float>({2, 1}, {-1.5e-30f, 3.25e30f}), {-1.5e-30f, 3.25e30f}, "float32");
  expect_read(fits_image<double>({2, 1}, {0.5, -1e10}), {0.5f, -1e10f}, "float64");
}

template <class T>
class ReadFitsIntegers : public testing::Test {};
using Integers = testing::Types<std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ReadFitsIntegers, Integers);

TYPED_TEST(ReadFitsIntegers, AreScaledExceptWhereTheyAreBlank) {
  const Image image = read(fits_image<TypeParam>(
      {2, 2}, {0, 10, 99, 100},
      fits_card("BSCALE", "0.5") + fits_card("BZERO", "-7") + fits_card("BLANK", "99")));
  EXPECT_EQ(image.pixels[0], -7);
  EXPECT_EQ(image.pixels[1], -2);
  EXPECT_TRUE(std::isnan(image.pixels[2]));
  EXPECT_EQ(image.pixels[3], 43);
  EXPECT_EQ(image.blanks, 1u);
}

TYPED_TEST(ReadFitsIntegers, HaveNoBlanksUnlessTheHeaderSaysSo) {
  EXPECT_EQ(read(fits_image<TypeParam>({2, 1}, {0, 99})).blanks, 0u);
}

TEST(ReadFits, ScalesFloatsToo) {
  const std::string cards = fits_card("BSCALE", "2") + fits_card("BZERO", "1");
  EXPECT_EQ(read(fits_image<float>({2, 1}, {0, 3}, cards)).pixels, (Pixels{1, 7}));
  EXPECT_EQ(read(fits_image<double>({2, 1}, {0, 3}, cards)).pixels, (Pixels{1, 7}));
}

TEST(ReadFits, ReadsUnsignedIntegersByTheirOffset) {
  EXPECT_EQ(read(fits_image<std::int16_t>({2, 1}, {-32768, 32767}, fits_card("BZERO", "32768"))).pixels,
            (Pixels{0, 65535}));
}

TEST(ReadFits, CountsNaNAndInfinityAsBlank) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read(fits_image<float>({4, 1}, {nan, 1, nan, 2})).blanks, 2u);
  const Image image = read(fits_image<double>({3, 1}, {infinity, nan, 1}));
  EXPECT_EQ(image.blanks, 2u);
  EXPECT_TRUE(std::isnan(image.pixels[0]));
  EXPECT_EQ(image.pixels[2], 1);
}

TEST(ReadFits, ReadsTheUnitWithoutCharactersThatDoNotPrint) {
  EXPECT_EQ(read(fits_image<float>({1, 1}, {0}, fits_card("BUNIT", "'JY/BEAM '"))).unit, "JY/BEAM");
  EXPECT_EQ(read(fits_image<float>({1, 1}, {0}, fits_card("BUNIT", "'\x1b[1mK\xff'"))).unit, "[1mK");
  EXPECT_EQ(read(fits_image<float>({1, 1}, {0})).unit, "");
}

TEST(ReadFits, AcceptsFurtherAxesOfLengthOne) {
  EXPECT_EQ(read(fits_image<float>({2, 1, 1}, {1, 2})).pixels, (Pixels{1, 2}));
  EXPECT_EQ(read(fits_image<float>({1, 2, 1, 1}, {1, 2})).height, 2u);
}

TEST(ReadFits, TakesTheFirstImageWithTwoAxes) {
  const std::string spectrum =
      image_extension_header(-32, {4}) + filled_block(big_endian<float>({9, 9, 9, 9}), '\0');
  const std::string image =
      image_extension_header(-32, {2, 2}) + filled_block(big_endian<float>({1, 2, 3, 4}), '\0');
  EXPECT_EQ(read(primary_header(8, {}) + table_extension() + spectrum + image).pixels, (Pixels{1, 2, 3, 4}));
}

TEST(ReadFits, DoesWithoutTheZerosThatFillTheLastBlock) {
  const std::string whole = fits_image<float>({2, 1}, {1, 2});
  EXPECT_EQ(read(whole.substr(0, fits_block + 8)).pixels, (Pixels{1, 2}));
  EXPECT_EQ(refusal(whole.substr(0, fits_block + 7)),
            "cannot read sky.fits: it ends before its image does; copy or download it again");
}

TEST(ReadFits, RefusesEveryFileThatIsCutShort) {
  const std::string whole = primary_header(8, {}) + table_extension() + image_extension_header(16, {10, 10}) +
                            big_endian(std::vector<std::int16_t>(100, 7));
  ASSERT_EQ(read(whole).pixels, Pixels(100, 7));
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_PRED_FORMAT2(testing::IsSubstring, "cannot read sky.fits: it ", refusal(whole.substr(0, size)));
}

TEST(ReadFits, SurvivesEveryDamagedByte) {
  const std::string whole = fits_image<std::int16_t>({3, 2}, {1, 2, 3, 4, 5, 6}, fits_card("BLANK", "3"));
  for (std::size_t place = 0; place < 8 * 80; ++place)  // in the cards of the header
    for (const char damage : {'\0', ' ', '-', '9', '\xff'}) {
      std::string damaged = whole;
      damaged[place] = damage;
      try {
        EXPECT_LE(read(damaged).pixels.size(), whole.size());
      } catch (const UsageError&) {
      }
    }
}

TEST(ReadFits, SaysWhyItCannotReadAFileAndWhatToDo) {
  const std::string compressed = fits_card("ZIMAGE", "T") + fits_card("ZCMPTYPE", "'GZIP_1  '") +
                                 fits_card("ZBITPIX", "16") + fits_card("ZNAXIS", "2") +
                                 fits_card("ZNAXIS1", "4") + fits_card("ZNAXIS2", "4") +
                                 fits_card("TTYPE1", "'COMPRESSED_DATA'");
  const std::string no_plane = "it holds no image with two axes, only tables or spectra; name another file";
  const std::string too_large = "some of its pixels are too large for float32; scale them down first";
  const std::pair<std::string, std::string> refusals[] = {
      {fits_image<float>({2, 2, 2}, std::vector<float>(8, 1)),
       "its image has 2 x 2 x 2 pixels, which is not a plane; cut one plane out of it first"},
      {primary_header(8, {}), no_plane},
      {primary_header(8, {}) + table_extension(), no_plane},
      {fits_image<float>({3}, {1, 2, 3}), no_plane},
      {primary_header(8, {}) + table_extension(compressed),
       "its image is tile-compressed; unpack it first, with funpack"},
      {primary_header(-32, {0, 5}), "its image is empty, 0 x 5 pixels; name a file with an image in it"},
      {primary_header(-32, {100000, 100000}),
       "its image has 100 000 x 100 000 pixels, and at most 2 145 386 496 are possible; cut out a part of it"},
      {primary_header(-64, {4000000000, 4000000000}),
       "its image has 4 000 000 000 x 4 000 000 000 pixels, and at most 2 145 386 496 are possible; cut out a "
       "part of it"},
      {primary_header(-32, {40000, 40000}), "it ends before its image does; copy or download it again"},
      {fits_image<double>({2, 1}, {1, 1e300}), too_large},
      {fits_image<double>({2, 1}, {1, -1e39}, fits_card("BZERO", "1")), too_large},
      {fits_image<std::int16_t>({2, 1}, {1, 2}, fits_card("BSCALE", "1E300")), too_large},
      {primary_header(17, {2, 2}) + filled_block("x", '\0'),
       "it is a damaged FITS file (CFITSIO: illegal BITPIX keyword value); copy or download it again"}};
  for (const auto& [contents, sentence] : refusals)
    EXPECT_EQ(refusal(contents), "cannot read sky.fits: " + sentence);
}

const std::string no_image = primary_header(8, {});
const std::string image = image_extension_header(8, {2, 2}) + filled_block("abcd", '\0');

std::size_t offset_of_image(const std::string& contents) {
  return find_fits_image(contents, "sky.fits");
}

std::string search_refusal(const std::string& contents) {
  return message_thrown<UsageError>([&] { offset_of_image(contents); });
}

TEST(FindFitsImage, FindsThePrimaryUnitIfItIsAnImage) {
  EXPECT_EQ(offset_of_image(fits_image<float>({1, 1}, {0}) + image), 0u);
}

TEST(FindFitsImage, PassesOverTablesWithTheirHeaps) {
  const std::string heap = filled_block(std::string(fits_block, 'h'), '\0');
  const std::string header =
      image_header(fits_card("XTENSION", "'BINTABLE'"), 8, {fits_block, 2},
                   fits_card("PCOUNT", std::to_string(fits_block)) + fits_card("GCOUNT", "1"));
  EXPECT_EQ(offset_of_image(no_image + header + heap + heap + heap + image), 5 * fits_block)
      << "two headers, and a table of two blocks with a heap of one";
}

TEST(FindFitsImage, PassesOverSpectraOfEveryBitpix) {
  for (const int bitpix : {8, 16, 32, 64, -32, -64}) {
    const auto bytes = static_cast<std::size_t>(1000 * std::abs(bitpix) / 8);
    const std::string spectrum = filled_block(std::string(bytes, 's'), '\0');
    EXPECT_EQ(offset_of_image(primary_header(bitpix, {1000}) + spectrum + image),
              fits_block + spectrum.size())
        << bitpix;
  }
}

TEST(FindFitsImage, EndsAtRecordsThatAreNoExtension) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "it holds no image",
                      search_refusal(no_image + filled_block("other", ' ')));
}

TEST(FindFitsImage, DoesNotLookIntoADamagedTable) {
  const std::string wild =
      fits_card("TFIELDS", "999999999") + fits_card("ZTILE1", "0") + fits_card("TFORM1", "'PB'");
  EXPECT_EQ(offset_of_image(no_image + table_extension(wild) + image),
            no_image.size() + table_extension(wild).size());
}

TEST(FindFitsImage, DoesNotBelieveASizeThatTheFileCannotHold) {
  const std::string counts = fits_card("PCOUNT", "9000000000000000000") + fits_card("GCOUNT", "1");
  const std::string header = image_header(fits_card("XTENSION", "'BINTABLE'"), 8,
                                          {9000000000000000000, 9000000000000000000}, counts);
  EXPECT_EQ(search_refusal(no_image + header + image),
            "cannot read sky.fits: it ends before its image does; copy or download it again");
}

TEST(FindFitsImage, RefusesAHeaderWithoutItsSizes) {
  EXPECT_EQ(search_refusal(filled_block(fits_card("SIMPLE", "T") + "END", ' ')),
            "cannot read sky.fits: it is a damaged FITS file (its NAXIS is missing or not a count); copy or "
            "download it again");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "its NAXIS1 is missing or not a count",
                      search_refusal(primary_header(8, {-5})));
}

}  // namespace
}  // namespace gpulab::image
