#include "simulator/watch/counted_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string global_memory_kernels = source_text("tests/simulator/watch/counted_global_memory.cu");

class CountedGlobalMemory : public CountedTest {
 protected:
  double sectors(const std::string& kernel, int number = 0, const LaunchConfig& config = {.block = {128}}) {
    return sectors_per_request(counts(global_memory_kernels, kernel, config, number),
                               AccessKind::global_load);
  }
};

TEST_P(CountedGlobalMemory, SeesOneRequestForEachWarp) {
  const AccessCounts counted = counts(global_memory_kernels, "add", {.grid = {16}, .block = {256}});
  const AccessSums expected{.requests = 128, .active_lanes = 4096, .sectors = 512, .bytes = 16384};
  EXPECT_EQ(at_line(counted, 3, AccessKind::global_load), expected);
  EXPECT_EQ(at_line(counted, 3, AccessKind::global_store), expected);
  EXPECT_EQ(counted.lines.size(), 2u);
  EXPECT_EQ(wanted_part_of_sectors(counted), 1);
}

TEST_P(CountedGlobalMemory, NeedsMoreSectorsForAStride) {
  EXPECT_EQ(sectors("add_strided", 1), 4);
  EXPECT_EQ(sectors("add_strided", 2), 8);
  EXPECT_EQ(sectors("add_strided", 4), 16);
  EXPECT_EQ(sectors("add_strided", 8), 32);
  EXPECT_EQ(sectors("add_strided", 32), 32);
}

TEST_P(CountedGlobalMemory, KnowsTheStrideThatCostsMost) {
  const AccessCounts counted = counts(global_memory_kernels, "add_strided", {.block = {128}}, 8);
  ASSERT_EQ(counted.lines.size(), 2u);
  EXPECT_EQ(counted.lines[0].pattern, (AccessPattern{.min_sectors = 16, .costly_stride = {32, 4 * 28}}));
  EXPECT_EQ(counted.lines[1].pattern, (AccessPattern{.min_sectors = 16}));
}

TEST_P(CountedGlobalMemory, NeedsAFifthSectorWhereTheFirstElementIsMisaligned) {
  EXPECT_EQ(sectors("add_shifted", 0), 4);
  EXPECT_EQ(sectors("add_shifted", 1), 5);
  EXPECT_EQ(sectors("add_shifted", 8), 4);
}

TEST_P(CountedGlobalMemory, NeedsOneSectorWhereAllLanesReadOneElement) {
  const AccessSums loads =
      at_line(counts(global_memory_kernels, "broadcast", {.block = {32}}), 17, AccessKind::global_load);
  EXPECT_EQ(loads, (AccessSums{.requests = 1, .active_lanes = 32, .sectors = 1, .bytes = 4}));
}

TEST_P(CountedGlobalMemory, CountsALoadOfFourFloatsOnce) {
  const AccessCounts counted = counts(global_memory_kernels, "add_in_fours", {.block = {64}});
  const AccessSums expected{.requests = 2, .active_lanes = 64, .sectors = 32, .bytes = 1024};
  EXPECT_EQ(sums_of(counted, AccessKind::global_load), expected);
  EXPECT_EQ(sums_of(counted, AccessKind::global_store), expected);
}

TEST_P(CountedGlobalMemory, CountsALoadOfThreeFloatsThreeTimes) {
  const AccessCounts counted = counts(global_memory_kernels, "copy_threes", {.block = {32}});
  const AccessSums expected{.requests = 3, .active_lanes = 96, .sectors = 36, .bytes = 384};
  EXPECT_EQ(sums_of(counted, AccessKind::global_load), expected);
  EXPECT_EQ(sums_of(counted, AccessKind::global_store), expected);
}

TEST_P(CountedGlobalMemory, NeedsOneSectorForTheBytesOfAWarp) {
  EXPECT_EQ(sectors("copy_bytes"), 1);
}

TEST_P(CountedGlobalMemory, LinearisesLanesWithXFirst) {
  const LaunchConfig config{.grid = {4, 8}, .block = {32, 8}};
  const AccessCounts counted = counts(global_memory_kernels, "transpose", config, 128);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_load), 4);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_store), 32);
  // Two rows of 16 in each warp.
  const AccessCounts narrow =
      counts(global_memory_kernels, "transpose", {.grid = {8, 4}, .block = {16, 16}}, 128);
  EXPECT_EQ(sectors_per_request(narrow, AccessKind::global_load), 4);
  EXPECT_EQ(sectors_per_request(narrow, AccessKind::global_store), 16);
}

TEST_P(CountedGlobalMemory, SeesAtomicsAsAtomics) {
  const AccessCounts one = counts(global_memory_kernels, "all_to_one", {.block = {64}});
  ASSERT_EQ(one.lines.size(), 1u);
  EXPECT_EQ(
      at_line(one, 42, AccessKind::global_atomic),
      (AccessSums{.requests = 2, .active_lanes = 64, .sectors = 2, .bytes = 8, .max_same_address = 64}));
  EXPECT_EQ(max_same_address_per_request(one), 32);

  const AccessCounts own = counts(global_memory_kernels, "each_to_its_own", {.block = {64}});
  EXPECT_EQ(max_same_address_per_request(own), 1);
  EXPECT_EQ(sectors_per_request(own, AccessKind::global_atomic), 4);
}

TEST_P(CountedGlobalMemory, LeavesOutLocalAndConstantMemoryButNotVariablesOfTheFile) {
  const AccessCounts counted = counts(global_memory_kernels, "other_memory", {.block = {32}});
  EXPECT_EQ(sums_of(counted, AccessKind::global_load).requests, 0u);
  EXPECT_EQ(sums_of(counted, AccessKind::global_store).requests, 1u);
  EXPECT_EQ(sums_of(counted, AccessKind::global_atomic).requests, 1u);
}

TEST_P(CountedGlobalMemory, CountsAnUpdateAsALoadAndAStore) {
  const AccessCounts counted = counts(global_memory_kernels, "increment", {.block = {32}});
  for (const int line : {60, 61}) {
    EXPECT_EQ(at_line(counted, line, AccessKind::global_load).requests, 1u) << line;
    EXPECT_EQ(at_line(counted, line, AccessKind::global_store).requests, 1u) << line;
  }
}

TEST_P(CountedGlobalMemory, CountsOnlyWhatWasCompiledToBeCounted) {
  instrumentation_ = device::Instrumentation::none;
  EXPECT_TRUE(counts(global_memory_kernels, "add", {.block = {64}}).lines.empty());
  instrumentation_ = device::Instrumentation::interrupted;
  EXPECT_TRUE(counts(global_memory_kernels, "add", {.block = {64}}).lines.empty());
}

TEST_P(CountedGlobalMemory, AddsUpLaunchesUntilTheyAreTaken) {
  const DeviceBuffer<float> out = buffer(std::vector<float>(64));
  for (int launches = 0; launches < 3; ++launches)
    launch(global_memory_kernels, "add", {.block = {64}}, static_cast<const float*>(out.pointer()),
           out.pointer(), 0);
  EXPECT_EQ(sums_of(instruments().take_access_counts(), AccessKind::global_load).requests, 6u);
  EXPECT_TRUE(instruments().take_access_counts().lines.empty());
}

TEST_P(CountedGlobalMemory, CountsNothingOfALaunchThatFailed) {
  const DeviceBuffer<float> out = buffer(std::vector<float>(64));
  failure(global_memory_kernels, "add", {.block = {64}}, static_cast<const float*>(nullptr), out.pointer(),
          0);
  EXPECT_TRUE(instruments().take_access_counts().lines.empty());
  EXPECT_EQ(sectors("add"), 4);
  EXPECT_TRUE(still_works());
}

INSTANTIATE_TEST_SUITE_P(Compilers, CountedGlobalMemory, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
