#include "run/validate/evidence.hpp"

#include <gtest/gtest.h>

namespace gpulab::run::validate {
namespace {

Positions positions_of(std::initializer_list<std::size_t> indices) {
  Positions positions;
  for (const std::size_t index : indices) positions.add(index);
  return positions;
}

TEST(Positions, KnowsTheEndsAndTheCount) {
  const Positions positions = positions_of({3, 4, 9});
  EXPECT_EQ(positions.count(), 3u);
  EXPECT_EQ(positions.first(), 3u);
  EXPECT_EQ(positions.last(), 9u);
}

TEST(Positions, IsContiguousWithoutGapsOnly) {
  EXPECT_TRUE(positions_of({5, 6, 7}).contiguous());
  EXPECT_FALSE(positions_of({5, 7}).contiguous());
  EXPECT_FALSE(Positions{}.contiguous());
}

TEST(Positions, HasAStepOnlyWhereItIsTheSameThroughout) {
  EXPECT_EQ(positions_of({1, 5, 9, 13}).step(), 4u);
  EXPECT_EQ(positions_of({1, 5, 9, 12}).step(), 0u);
  EXPECT_EQ(positions_of({1, 4, 9, 14}).step(), 0u);
  EXPECT_EQ(positions_of({7}).step(), 0u);
}

TEST(ValueText, GroupsIntegersAndKeepsTheSign) {
  EXPECT_EQ(value_text(-131072, ElementType::int32), "-131 072");
  EXPECT_EQ(value_text(4294967295.0, ElementType::uint32), "4 294 967 295");
}

TEST(ValueText, IsTheShortestThatReadsBackAsTheSameValue) {
  EXPECT_EQ(value_text(0.1f, ElementType::float32), "0.1");
  EXPECT_EQ(value_text(0.1, ElementType::float64), "0.1");
}

TEST(ValueText, LeavesOutTheSignOfAZero) {
  EXPECT_EQ(value_text(-0.0, ElementType::float32), "0");
}

TEST(ValueText, NamesWhatIsNotANumberWithoutItsSign) {
  EXPECT_EQ(value_text(-std::numeric_limits<double>::quiet_NaN(), ElementType::float32), "NaN");
  EXPECT_EQ(value_text(-std::numeric_limits<double>::infinity(), ElementType::float64), "-inf");
}

}  // namespace
}  // namespace gpulab::run::validate
