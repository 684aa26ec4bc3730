#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gpulab {
namespace number_text_test {

TEST(Grouped, LeavesThreeDigitsAlone) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(999), "999");
}

TEST(Grouped, SetsThousandsApartFromOneThousandOn) {
  EXPECT_EQ(grouped(1000), "1 000");
  EXPECT_EQ(grouped(12345), "12 345");
  EXPECT_EQ(grouped(123456), "123 456");
  EXPECT_EQ(grouped(33554432), "33 554 432");
}

TEST(Grouped, HoldsTheLargestNumber) {
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18 446 744 073 709 551 615");
}

TEST(WithDecimals, RoundsToTheDigitsAskedFor) {
  EXPECT_EQ(with_decimals(12.46, 1), "12.5");
  EXPECT_EQ(with_decimals(12.46, 0), "12");
  EXPECT_EQ(with_decimals(2, 1), "2.0");
}

}  // namespace number_text_test
}  // namespace gpulab
