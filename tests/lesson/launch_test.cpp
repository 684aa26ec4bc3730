#include "lesson/launch.hpp"

#include "base/cpu_vectors.hpp"
#include "test.hpp"

namespace gpulab {
namespace launch_test {

LaunchRequest request(Extent work, unsigned block_size, unsigned resident_blocks = 0) {
  return {{.work = work, .block_size = block_size}, resident_blocks};
}

TEST(LaunchShape, HasAThreadForEveryElementAndSomeToSpare) {
  const ChosenLaunch chosen = one_thread_per_element(request({1025}, 256));
  EXPECT_EQ(chosen.config.grid, Extent{5});
  EXPECT_EQ(chosen.config.block, Extent{256});
  EXPECT_EQ(chosen.ownership, Ownership::one_item);
}

TEST(LaunchShape, HasNoMoreBlocksThanAreResidentOrHaveWork) {
  const auto blocks = [](unsigned size, unsigned resident) {
    return resident_blocks(request({size}, 32, resident)).config.grid;
  };
  EXPECT_EQ(blocks(10'000, 8), Extent{8});
  EXPECT_EQ(blocks(100, 8), Extent{4});
  EXPECT_EQ(blocks(100, 0), Extent{1}) << "a grid needs a block";
}

TEST(LaunchShape, StridesWhereOnlyResidentBlocksAreLaunched) {
  EXPECT_EQ(resident_blocks(request({1}, 32, 8)).ownership, Ownership::grid_stride);
}

TEST(LaunchShape, OfAFixedGridOrASingleBlockGivesAThreadOneItem) {
  const LaunchRequest asked = request({2048}, 256);
  EXPECT_EQ(fixed_blocks(2)(asked).config.grid, Extent{2});
  EXPECT_EQ(fixed_blocks(2)(asked).ownership, Ownership::one_item);
  EXPECT_EQ(one_block_of_size_threads(asked).config.block, Extent{2048});
  EXPECT_EQ(one_block_of_size_threads(asked).ownership, Ownership::one_item);
}

TEST(LaunchShape, CoversAnImageWithBlocksOneWarpWide) {
  const ChosenLaunch chosen = one_thread_per_pixel(request({100, 17}, 256));
  EXPECT_EQ(chosen.config.block, (Extent{32, 8}));
  EXPECT_EQ(chosen.config.grid, (Extent{4, 3}));
  EXPECT_EQ(one_thread_per_pixel(request({100, 17}, 16)).config.block, (Extent{16, 1}));
}

TEST(LaunchShape, NamesNoThreadIfItReturnsAConfigAlone) {
  const LaunchShape shape = [](const LaunchRequest&) { return LaunchConfig{.grid = {4, 4}}; };
  EXPECT_EQ(shape({}).ownership, Ownership::unknown);
}

TEST(RoundedUp, IsTheNextMultiple) {
  EXPECT_EQ(rounded_up(0, 16), 0u);
  EXPECT_EQ(rounded_up(1, 16), 16u);
  EXPECT_EQ(rounded_up(16, 16), 16u);
  EXPECT_EQ(rounded_up(17, 16), 32u);
}

}  // namespace launch_test
}  // namespace gpulab
