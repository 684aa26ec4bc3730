#include "convolution/filter.hpp"

#include "base/error.hpp"
#include "test.hpp"

namespace gpulab::lessons::convolution {
namespace convolution_filter_test {

double sum(const Filter& filter) {
  return std::accumulate(filter.values.begin(), filter.values.end(), 0.0);
}

std::string complaint_about(const std::string& text) {
  return message_thrown<UsageError>([&] { parse_filter(text, "filter.txt"); }, "none");
}

TEST(Filter, TheGaussianIsTheOneOfTheCourse) {
  const Filter filter = gaussian_filter(15);
  EXPECT_NEAR(sum(filter), 72.19017490222913, 1e-5);
  EXPECT_EQ(filter.at(7, 7), 1.0f);
  EXPECT_FLOAT_EQ(filter.at(0, 0), std::exp(-4.0f));
  EXPECT_FLOAT_EQ(filter.at(14, 7), std::exp(-2.0f));
}

TEST(Filter, AGaussianOfOneElementIsItsCentre) {
  EXPECT_EQ(gaussian_filter(1).values, std::vector<float>{1});
}

TEST(Filter, ABoxIsAMean) {
  EXPECT_NEAR(sum(box_filter(7)), 1.0, 1e-6);
}

TEST(Filter, ARampDiffersFromItselfRotatedOrTransposed) {
  const Filter filter = ramp_filter(3);
  EXPECT_EQ(filter.at(2, 2), 1.0f);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      if (row == 1 && column == 1) continue;  // the middle stays where it is
      EXPECT_NE(filter.at(column, row), filter.at(2 - column, 2 - row));
      if (row != column) {
        EXPECT_NE(filter.at(column, row), filter.at(row, column));
      }
    }
}

TEST(Filter, RefusesAnEvenWidth) {
  EXPECT_THROW(gaussian_filter(14), UsageError);
  EXPECT_THROW(box_filter(2), UsageError);
  EXPECT_THROW(ramp_filter(4), UsageError);
  EXPECT_THROW(oblong_filter(4), UsageError);
}

TEST(Filter, IsReadFromRowsOfNumbersBetweenBlanksOrCommas) {
  const Filter filter = parse_filter("1 -2.5 3e2\n\n  4,5, 6 \n7\t8 9", "filter.txt");
  EXPECT_EQ(filter.width, 3u);
  EXPECT_EQ(filter.height, 3u);
  EXPECT_EQ(filter.values, (std::vector<float>{1, -2.5f, 300, 4, 5, 6, 7, 8, 9}));
}

TEST(Filter, SaysWhyAFileHoldsNone) {
  EXPECT_EQ(complaint_about(" \n\n"), "filter.txt holds no numbers; a filter is rows of numbers");
  EXPECT_EQ(complaint_about("1 2 3\n4 5\n"),
            "filter.txt, line 2 has 2 numbers, the rows before it 3; all rows of a filter are equally long");
  EXPECT_EQ(
      complaint_about("1 2\n3 4\n5 6\n"),
      "the filter in filter.txt is 2 x 3, an even width, and has no pixel in its middle; take an odd number");
  EXPECT_EQ(complaint_about("1 2 3\n4 5 6\n"),
            "the filter in filter.txt is 3 x 2, an even height, and has no pixel in its middle; take an odd "
            "number");
}

TEST(Filter, RefusesWhatIsNoFiniteNumber) {
  for (const std::string word : {"x", "1x", "nan", "inf", "1e99", "0x10", "--1"})
    EXPECT_EQ(complaint_about("1 2 3\n4 " + word + " 6\n7 8 9\n"),
              "filter.txt, line 2: '" + word + "' is not a finite float32; a filter is rows of numbers");
}

TEST(Filter, IsSeparableWhenItIsAColumnTimesARow) {
  for (const Filter& filter : {gaussian_filter(15), gaussian_filter(63), box_filter(5),
                               Filter{3, 1, {1, 0, -2}}, Filter{1, 3, {0, 0, 0}}}) {
    const auto separated = separate(filter);
    ASSERT_TRUE(separated);
    for (std::size_t j = 0; j < filter.height; ++j)
      for (std::size_t i = 0; i < filter.width; ++i)
        EXPECT_NEAR(separated->column[j] * separated->row[i], filter.at(i, j), 1e-6);
  }
}

TEST(Filter, IsNotSeparableWhenItsRankIsHigher) {
  EXPECT_FALSE(separate({3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}}));
  Filter nearly = gaussian_filter(15);
  nearly.values[0] += 1e-6f;
  EXPECT_FALSE(separate(nearly));
}

}  // namespace convolution_filter_test
}  // namespace gpulab::lessons::convolution
