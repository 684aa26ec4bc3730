#include "base/statistics.hpp"

#include "test.hpp"

namespace gpulab {
namespace statistics_test {

TEST(Median, IsTheOneInTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 100}), 3.5);
  EXPECT_THROW(median({}), std::logic_error);
}

TEST(MedianRanks, DoNotExistBelowSixSamples) {
  for (std::size_t count = 0; count < 6; ++count) EXPECT_FALSE(median_ranks(count)) << count;
}

// The lower rank is the largest l with 2 * (C(n, 0) + ... + C(n, l - 1)) <= 0.05 * 2^n, in exact integers.
TEST(MedianRanks, AreThoseOfTheExactBinomial) {
  const std::vector<std::pair<std::size_t, MedianRanks>> exact_ranks = {
      {6, {1, 6}},        {7, {1, 7}},        {8, {1, 8}},           {10, {2, 9}},     {20, {6, 15}},
      {30, {10, 21}},     {50, {18, 33}},     {100, {40, 61}},       {200, {86, 115}}, {1000, {469, 532}},
      {1074, {505, 570}}, {1075, {505, 571}}, {10'000, {4902, 5099}}};
  for (const auto& [count, ranks] : exact_ranks) EXPECT_EQ(median_ranks(count), ranks) << count;
}

}  // namespace statistics_test
}  // namespace gpulab
