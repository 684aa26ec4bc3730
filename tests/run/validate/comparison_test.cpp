#include "run/validate/comparison.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "filled_array.hpp"

namespace gpulab::run::validate {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Comparison compare_values(const std::vector<T>& actual, const std::vector<T>& expected,
                          Tolerance tolerance = exact) {
  return compare(array_of(actual), array_of(expected), tolerance);
}

TEST(Comparison, AcceptsEqualValues) {
  const Comparison comparison = compare_values<float>({1, -2, 0}, {1, -2, 0});
  EXPECT_TRUE(comparison.right());
  EXPECT_EQ(comparison.checked, 3u);
  EXPECT_EQ(comparison.wrong, 0u);
  EXPECT_TRUE(comparison.first.empty());
}

TEST(Comparison, AddsTheAbsoluteAndTheRelativeTolerance) {
  const Tolerance tolerance{.relative = 0.25, .absolute = 0.5};  // 8 may be off by 2.5
  EXPECT_TRUE(compare_values<float>({10.5f}, {8}, tolerance).right());
  EXPECT_TRUE(compare_values<float>({5.5f}, {8}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({10.75f}, {8}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({5.25f}, {8}, tolerance).right());
}

TEST(Comparison, TakesTheRelativeToleranceOfTheExpectedValue) {
  const Tolerance tolerance{.relative = 0.5};
  EXPECT_TRUE(compare_values<float>({4}, {8}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({8}, {4}, tolerance).right());
}

TEST(Comparison, RejectsNotANumber) {
  const Tolerance wide{.relative = 1e30, .absolute = 1e30};
  EXPECT_FALSE(compare_values<float>({nan}, {1}, wide).right());
  EXPECT_FALSE(compare_values<float>({1}, {nan}, wide).right());
  EXPECT_FALSE(compare_values<float>({nan}, {nan}, wide).right());
}

TEST(Comparison, AcceptsEqualInfinitiesOnly) {
  const Tolerance tolerance{.relative = 1e-5, .absolute = 1e-5};
  EXPECT_TRUE(compare_values<float>({infinity, -infinity}, {infinity, -infinity}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({infinity}, {-infinity}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({infinity}, {1}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({1}, {infinity}, tolerance).right());
}

TEST(Comparison, IsNotRightWhenNothingWasCompared) {
  const Comparison comparison = compare_values<float>({}, {});
  EXPECT_EQ(comparison.checked, 0u);
  EXPECT_EQ(comparison.wrong, 0u);
  EXPECT_FALSE(comparison.right());
}

TEST(Comparison, TellsIntegersApartThatFloatCannot) {
  constexpr int beyond_float = (1 << 24) + 1;
  ASSERT_EQ(static_cast<float>(beyond_float), static_cast<float>(beyond_float - 1));
  EXPECT_FALSE(compare_values<std::int32_t>({beyond_float}, {beyond_float - 1}).right());
  EXPECT_FALSE(compare_values<std::uint32_t>({4294967295u}, {4294967294u}).right());
  EXPECT_TRUE(compare_values<std::int32_t>({beyond_float}, {beyond_float}).right());
}

TEST(Comparison, ComparesIntegersExactlyWhateverTheTolerance) {
  EXPECT_FALSE(compare_values<std::int32_t>({1001}, {1000}, {.relative = 0.1, .absolute = 10}).right());
}

TEST(Comparison, SubtractsTheFarthestIntegersWithoutOverflow) {
  const Comparison comparison = compare_values<std::int32_t>({std::numeric_limits<std::int32_t>::max()},
                                                             {std::numeric_limits<std::int32_t>::min()});
  EXPECT_EQ(comparison.wrong, 1u);
  EXPECT_EQ(comparison.largest_error, 4294967295.0);
}

TEST(Comparison, KeepsTheFirstFiveDifferences) {
  std::vector<double> actual = counting<double>(100);
  for (std::size_t i = 40; i < 100; ++i) actual[i] = -1;
  const Comparison comparison = compare_values(actual, counting<double>(100));
  EXPECT_EQ(comparison.wrong, 60u);
  ASSERT_EQ(comparison.first.size(), 5u);
  EXPECT_EQ(comparison.first[0].index, 40u);
  EXPECT_EQ(comparison.first[0].expected, 41);
  EXPECT_EQ(comparison.first[0].actual, -1);
  EXPECT_EQ(comparison.first[4].index, 44u);
}

TEST(Comparison, CountsWrongElementsWhereverTheyAre) {
  constexpr std::size_t length = 100'003;  // more than one thread's part, and no multiple of a vector
  std::vector<float> actual(length, 1), expected(length, 1);
  actual.front() = actual[length / 2] = actual.back() = 2;
  const Comparison comparison = compare_values(actual, expected);
  EXPECT_EQ(comparison.wrong, 3u);
  EXPECT_EQ(comparison.first.back().index, length - 1);
}

TEST(Comparison, FindsTheLargestErrorAmongTheRightOnesToo) {
  const Comparison comparison = compare_values<float>({1, 2.5f, 3, nan}, {1, 2, 3.25f, 4}, {.absolute = 1});
  EXPECT_EQ(comparison.wrong, 1u);
  EXPECT_EQ(comparison.largest_error, 0.5);
}

TEST(Comparison, RefusesToCompareAnArrayWithItself) {
  const Array array = array_of<float>({1, 2, 3});
  EXPECT_THROW(compare(array, array, exact), std::logic_error);
}

TEST(Comparison, RefusesArraysOfOtherLengthOrType) {
  EXPECT_THROW(compare_values<float>({1, 2}, {1}), std::logic_error);
  EXPECT_THROW(compare(array_of<float>({1}), array_of<std::int32_t>({1}), exact), std::logic_error);
}

}  // namespace
}  // namespace gpulab::run::validate
