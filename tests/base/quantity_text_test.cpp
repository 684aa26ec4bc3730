#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gpulab {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(QuantityText, GivesDurationsThreeSignificantDigits) {
  EXPECT_EQ(duration_text(8.6603e-3), "8.66 ms");
  EXPECT_EQ(duration_text(38.44e-6), "38.4 us");
  EXPECT_EQ(duration_text(1.2749), "1.27 s");
  EXPECT_EQ(duration_text(412e-9), "412 ns");
  EXPECT_EQ(duration_text(1270), "1 270 s");
}

TEST(QuantityText, RoundsIntoTheNextUnit) {
  EXPECT_EQ(duration_text(999.6e-6), "1.00 ms");
  EXPECT_EQ(duration_text(999.4e-6), "999 us");
  EXPECT_EQ(duration_text(9.996e-3), "10.0 ms");
}

TEST(QuantityText, GroupsLargeValues) {
  EXPECT_EQ(three_digits(3495.4), "3 495");
}

TEST(QuantityText, ScalesBytesByThousandsAndCapacitiesBy1024) {
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(134'217'728), "134 MB");
  EXPECT_EQ(capacity_text(48 * 1024), "48.0 KiB");
  EXPECT_EQ(capacity_text(0x1p37), "128 GiB");
}

TEST(QuantityText, GivesPercentages) {
  EXPECT_EQ(percent_text(0.003), "0.3 %");
  EXPECT_EQ(percent_text(0.728), "73 %");
  EXPECT_EQ(percent_text(0.0001), "<0.1 %");
  EXPECT_EQ(percent_text(0), "0.0 %");
}

TEST(QuantityText, GivesFactors) {
  EXPECT_EQ(factor_text(622.4), "622x");
  EXPECT_EQ(factor_text(6.82), "6.8x");
  EXPECT_EQ(factor_text(0.2194), "0.22x");
  EXPECT_EQ(factor_text(1e-6), "<0.001x");
  EXPECT_EQ(factor_text(12'345), "12 345x");
}

TEST(QuantityText, SaysWhatIsNotFinite) {
  for (const double value : {nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(three_digits(value), "n/a");
    EXPECT_EQ(duration_text(value), "n/a");
    EXPECT_EQ(bytes_text(value), "n/a");
    EXPECT_EQ(percent_text(value), "n/a");
    EXPECT_EQ(factor_text(value), "n/a");
  }
}

TEST(ElementText, HasNineDigits) {
  EXPECT_EQ(element_text(2.5), "2.5");
  EXPECT_EQ(element_text(-131072), "-131072");
  EXPECT_EQ(element_text(1.0 / 3), "0.333333333");
}

TEST(ElementText, NamesWhatIsNotFinite) {
  EXPECT_EQ(element_text(nan), "NaN");
  EXPECT_EQ(element_text(-nan), "NaN");
  EXPECT_EQ(element_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(element_text(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace gpulab
