#include "run/validate/comparison.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace gpulab::run::validate {
namespace {

class Guard : public testing::Test {
 protected:
  Guard() : before(guard_bytes), after(guard_bytes) {
    fill_guard(before);
    fill_guard(after);
  }

  std::vector<std::byte> before, after;
};

TEST_F(Guard, FindsNothingInZonesThatNobodyWroteTo) {
  EXPECT_FALSE(find_guard_hit(before, after));
}

TEST_F(Guard, FindsAWriteRightBehindTheEnd) {
  std::memset(after.data(), 0, 4);
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->side, GuardSide::after);
  EXPECT_EQ(hit->offset, 0u);
  EXPECT_EQ(hit->bytes, 4u);
}

TEST_F(Guard, FindsTheVeryLastByteBehindTheEnd) {
  after.back() = std::byte{0};
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->offset, guard_bytes - 1);
  EXPECT_EQ(hit->bytes, 1u);
}

TEST_F(Guard, CountsBytesInFrontOfTheStartFromTheArrayOutwards) {
  std::memset(before.data() + guard_bytes - 12, 0, 8);  // the last 4 bytes stay
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->side, GuardSide::before);
  EXPECT_EQ(hit->offset, 4u);
  EXPECT_EQ(hit->bytes, 8u);
}

TEST_F(Guard, FindsTheVeryFirstByteInFrontOfTheStart) {
  before.front() = std::byte{0};
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->offset, guard_bytes - 1);
}

TEST_F(Guard, CountsWholeElementsWhereABytesValueIsThePatternByChance) {
  after[4] = std::byte{0};  // of a 4-byte element whose other bytes happen to be the pattern
  after[8] = after[9] = std::byte{1};
  const auto hit = find_guard_hit(before, after, guard_pattern(), 4);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->offset, 4u);
  EXPECT_EQ(hit->bytes, 8u);
}

TEST_F(Guard, FindsAValueCopiedFromTheGuardOfTheNextBuffer) {
  after[0] = guard_pattern(1);
  EXPECT_TRUE(find_guard_hit(before, after, guard_pattern(0)));
}

TEST(GuardPattern, IsNeitherThePoisonNorZero) {
  for (std::size_t buffer = 0; buffer < 100; ++buffer) {
    EXPECT_NE(guard_pattern(buffer), std::byte{0});
    EXPECT_NE(guard_pattern(buffer), std::byte{0xFF});
  }
}

}  // namespace
}  // namespace gpulab::run::validate
