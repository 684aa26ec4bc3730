#include "lesson/access_counts.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace access_pattern_test {

TEST(LaneStride, IsTheOneWithMostVotesInWhateverOrderTheyCome) {
  LaneStride stride;
  for (const std::int64_t bytes : {4, 128, 128, 8, 128, 128}) stride += {bytes, 1};
  EXPECT_EQ(stride.bytes, 128);
  LaneStride other{128, 2};
  other += stride;
  EXPECT_EQ(other, (LaneStride{128, 2 + stride.votes}));
}

TEST(LaneStride, NeverHasMoreVotesThanItGot) {
  LaneStride stride{4, 3};
  stride += {8, 2};
  EXPECT_EQ(stride, (LaneStride{4, 1}));
  stride += {-16, 5};
  EXPECT_EQ(stride, (LaneStride{-16, 4}));
}

TEST(AccessPattern, AddsUp) {
  AccessPattern pattern{.min_sectors = 4, .costly_stride = {8, 4}};
  pattern += {.min_sectors = 1, .min_bank_wavefronts = 2, .costly_stride = {8, 1}};
  EXPECT_EQ(pattern, (AccessPattern{.min_sectors = 5, .min_bank_wavefronts = 2, .costly_stride = {8, 5}}));
}

}  // namespace access_pattern_test
}  // namespace gpulab
