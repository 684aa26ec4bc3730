#include "core/launch.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

TEST(ExtentText, LeavesOutTheSizesOfOneAtItsEnd) {
  EXPECT_EQ(text_of(Extent{256}), "256");
  EXPECT_EQ(text_of(Extent{16, 8}), "(16, 8)");
  EXPECT_EQ(text_of(Extent{8, 8, 4}), "(8, 8, 4)");
  EXPECT_EQ(text_of(Extent{8, 1, 4}), "(8, 1, 4)");
}

TEST(LaunchShape, HasAThreadForEveryElementAndSomeToSpare) {
  const ChosenLaunch chosen = one_thread_per_element({.size = 1025, .block_size = 256});
  EXPECT_EQ(chosen.config.grid, Extent{5});
  EXPECT_EQ(chosen.config.block, Extent{256});
  EXPECT_EQ(chosen.ownership, Ownership::one_item);
}

TEST(LaunchShape, HasNoMoreBlocksThanAreResidentOrHaveWork) {
  const auto blocks = [](std::size_t size, unsigned resident) {
    return resident_blocks({.size = size, .block_size = 32, .resident_blocks = resident}).config.grid;
  };
  EXPECT_EQ(blocks(10'000, 8), Extent{8});
  EXPECT_EQ(blocks(100, 8), Extent{4});
  EXPECT_EQ(blocks(100, 0), Extent{1}) << "a grid needs a block";
}

TEST(LaunchShape, StridesWhereTheBlocksAreTheResidentOnes) {
  EXPECT_EQ(resident_blocks({.size = 1, .block_size = 32, .resident_blocks = 8}).ownership,
            Ownership::strides);
}

TEST(LaunchShape, OfAFixedGridOrASingleBlockGivesAThreadOneItem) {
  const LaunchRequest request{.size = 2048, .block_size = 256};
  EXPECT_EQ(fixed_blocks(2)(request).config.grid, Extent{2});
  EXPECT_EQ(fixed_blocks(2)(request).ownership, Ownership::one_item);
  EXPECT_EQ(one_block_of_size_threads(request).config.block, Extent{2048});
  EXPECT_EQ(one_block_of_size_threads(request).ownership, Ownership::one_item);
}

TEST(LaunchShape, LeavesOpenWhoseAnItemIsWhenItReturnsAConfigAlone) {
  const LaunchShape shape = [](const LaunchRequest&) { return LaunchConfig{.grid = {4, 4}}; };
  EXPECT_EQ(shape({}).ownership, Ownership::unknown);
}

}  // namespace
}  // namespace gpulab
