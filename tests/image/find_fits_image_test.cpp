#include "image/formats.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "image/fits_bytes.hpp"
#include "image/refusal.hpp"

namespace gpulab::image {
namespace {

const std::string no_image = primary_header(8, {});
const std::string image = image_extension_header(8, {2, 2}) + filled_block("abcd", '\0');

std::size_t place_in(const std::string& contents) {
  return find_fits_image(contents, "sky.fits");
}

std::string search_refusal(const std::string& contents) {
  return refusal_of([&] { place_in(contents); });
}

TEST(FindFitsImage, IsAtTheBeginningWhereThePrimaryUnitIsOne) {
  EXPECT_EQ(place_in(fits_image<float>({1, 1}, {0}) + image), 0u);
}

TEST(FindFitsImage, PassesOverTablesWithTheirHeaps) {
  const std::string heap = filled_block(std::string(fits_block, 'h'), '\0');
  const std::string header =
      image_header(fits_card("XTENSION", "'BINTABLE'"), 8, {fits_block, 2},
                   fits_card("PCOUNT", std::to_string(fits_block)) + fits_card("GCOUNT", "1"));
  EXPECT_EQ(place_in(no_image + header + heap + heap + heap + image), 5 * fits_block);
}

TEST(FindFitsImage, PassesOverSpectraOfEveryBitpix) {
  for (const int bitpix : {8, 16, 32, 64, -32, -64}) {
    const auto bytes = static_cast<std::size_t>(1000 * std::abs(bitpix) / 8);
    const std::string spectrum = filled_block(std::string(bytes, 's'), '\0');
    EXPECT_EQ(place_in(primary_header(bitpix, {1000}) + spectrum + image), fits_block + spectrum.size())
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
  EXPECT_EQ(place_in(no_image + table_extension(wild) + image),
            no_image.size() + table_extension(wild).size());
}

TEST(FindFitsImage, DoesNotBelieveASizeThatTheFileCannotHold) {
  const std::string counts = fits_card("PCOUNT", "9000000000000000000") + fits_card("GCOUNT", "1");
  const std::string header = image_header(fits_card("XTENSION", "'BINTABLE'"), 8,
                                          {9000000000000000000, 9000000000000000000}, counts);
  EXPECT_EQ(search_refusal(no_image + header + image),
            "cannot read sky.fits: it is cut short, its data go on after its end; copy or download it again");
}

TEST(FindFitsImage, RefusesAHeaderWithoutItsSizes) {
  EXPECT_EQ(search_refusal(filled_block(fits_card("SIMPLE", "T") + "END", ' ')),
            "cannot read sky.fits: it is a damaged FITS file (its NAXIS is missing or no count); copy or "
            "download it "
            "again");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "its NAXIS1 is missing or no count",
                      search_refusal(primary_header(8, {-5})));
}

}  // namespace
}  // namespace gpulab::image
