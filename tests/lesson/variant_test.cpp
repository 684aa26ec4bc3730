#include "lesson/lesson.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace variant_test {

DeviceProperties gpu(int major, int minor, std::size_t shared_bytes) {
  return {.kind = "cuda",
          .compute_capability_major = major,
          .compute_capability_minor = minor,
          .shared_bytes_per_block_optin = shared_bytes};
}

TEST(GpuNeed, IsMetFromItsComputeCapabilityOn) {
  const GpuNeed need{.major = 8};
  EXPECT_FALSE(need.is_met_by(gpu(7, 5, 65536)));
  EXPECT_TRUE(need.is_met_by(gpu(8, 0, 65536)));
  EXPECT_TRUE(need.is_met_by(gpu(9, 0, 65536)));
}

TEST(GpuNeed, OfAnArchitecturesOwnInstructionsIsMetThereAlone) {
  const GpuNeed need{.major = 9, .only_there = true};
  EXPECT_FALSE(need.is_met_by(gpu(8, 9, 65536)));
  EXPECT_TRUE(need.is_met_by(gpu(9, 0, 65536)));
  EXPECT_FALSE(need.is_met_by(gpu(10, 0, 65536)));
}

TEST(GpuNeed, CountsTheSharedMemoryOfABlock) {
  const GpuNeed need{.major = 8, .shared_bytes = 107520};
  EXPECT_FALSE(need.is_met_by(gpu(8, 6, 101376)));
  EXPECT_TRUE(need.is_met_by(gpu(8, 0, 166912)));
  EXPECT_EQ(need.text(),
            "a GPU of compute capability 8.0 or later with 107 520 bytes of shared memory for a block");
}

TEST(GpuNeed, IsNeverMetByTheSimulator) {
  EXPECT_FALSE(GpuNeed{}.is_met_by({.kind = "simulator"}));
}

}  // namespace variant_test
}  // namespace gpulab
