#include "base/table.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

TEST(Bar, IsAsLongAsItsPartOfTheColumns) {
  EXPECT_EQ(bar_text(1, 4), "████");
  EXPECT_EQ(bar_text(0.5, 4), "██");
  EXPECT_EQ(bar_text(0.25, 1), "▎");
  EXPECT_EQ(bar_text(0.78125, 4), "███▏");
}

TEST(Bar, IsNeverNothingAndNeverTooLong) {
  EXPECT_EQ(bar_text(0, 4), "▏");
  EXPECT_EQ(bar_text(1e-9, 4), "▏");
  EXPECT_EQ(bar_text(-1, 4), "▏");
  EXPECT_EQ(bar_text(7, 4), "████");
}

}  // namespace
}  // namespace gpulab
