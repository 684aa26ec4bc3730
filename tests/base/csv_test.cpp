#include "base/table.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gpulab {
namespace {

TEST(Csv, QuotesOnlyWhatWouldBeMisread) {
  EXPECT_EQ(csv_line({"a", "", "b c", "1.5"}), "a,,b c,1.5\n");
  EXPECT_EQ(csv_line({"=1+1", "@x", "-y", "+z"}), "'=1+1,'@x,'-y,'+z\n") << "no formulas";
  EXPECT_EQ(csv_line({"-", "-1.5", "+2e3"}), "-,-1.5,+2e3\n");
  EXPECT_EQ(csv_line({"a,b", "say \"no\"", "two\nlines"}), "\"a,b\",\"say \"\"no\"\"\",\"two\nlines\"\n");
}

TEST(Csv, WritesNumbersThatAreTheSameWhenTheyAreRead) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  const double third = 1.0 / 3;
  EXPECT_EQ(std::stod(csv_number(third)), third);
}

TEST(Csv, LeavesOutWhatIsNoNumber) {
  EXPECT_EQ(csv_number(std::nullopt), "");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(csv_number(-std::numeric_limits<double>::infinity()), "");
}

}  // namespace
}  // namespace gpulab
