#include "simulator/watch/counted_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string flow = source_text("tests/simulator/watch/counted_flow.cu");

const std::string loop_of_three = source_text("tests/simulator/watch/counted_flow_of_three.cu");

const std::string endless_loop = R"(__global__ void endless(const float* in, float* out, int) {
  while (in[0] == 0) out[threadIdx.x] = 1;
}
)";

using CountedFlow = CountedTest;

TEST_P(CountedFlow, KeepsTheStoresOfTwoBranchesApart) {
  const AccessCounts counted = counts(flow, "even_and_odd", {.grid = {2}, .block = {128}});
  for (const char* mark : {"even", "odd"})
    for (const AccessKind kind : {AccessKind::global_load, AccessKind::global_store})
      EXPECT_EQ(at_mark(counted, flow, mark, kind),
                (AccessSums{.requests = 8, .active_lanes = 128, .sectors = 32, .bytes = 512}))
          << mark;
  EXPECT_EQ(active_lanes_per_request(counted), 16);
}

TEST_P(CountedFlow, KeepsBranchesInOneLineApart) {
  const AccessCounts counted = counts(flow, "even_and_odd_in_one_line", {.block = {32}});
  const AccessSums stores = at_mark(counted, flow, "both in one line", AccessKind::global_store);
  EXPECT_EQ(stores.requests, 2u);
  EXPECT_EQ(stores.active_lanes, 32u);
}

TEST_P(CountedFlow, KeepsBranchesInALongLoopApart) {
  const AccessCounts counted = counts(flow, "loop_of_branches", {.block = {64}}, 1000);
  EXPECT_EQ(at_mark(counted, flow, "one", AccessKind::global_store).active_lanes, 64u * 250);
  EXPECT_EQ(at_mark(counted, flow, "two", AccessKind::global_store).active_lanes, 64u * 750);
}

TEST_P(CountedFlow, CountsMoreThanItCanRememberAtOnce) {
  const AccessCounts counted = counts(loop_of_three, "loop_of_three", {.grid = {2}, .block = {1024}}, 60);
  const AccessSums expected{.requests = 3840, .active_lanes = 122880, .sectors = 15360, .bytes = 491520};
  EXPECT_EQ(at_mark(counted, loop_of_three, "first load", AccessKind::global_load), expected);
  EXPECT_EQ(at_mark(counted, loop_of_three, "second load", AccessKind::global_load), expected);
  EXPECT_EQ(at_mark(counted, loop_of_three, "store", AccessKind::global_store), expected);
  EXPECT_EQ(at_mark(counted, loop_of_three, "last store", AccessKind::global_store).requests, 64u);
}

TEST_P(CountedFlow, LeavesOutThreadsThatReturnedEarly) {
  const AccessCounts counted = counts(flow, "guarded", {.grid = {2}, .block = {64}}, 73);
  EXPECT_EQ(at_mark(counted, flow, "guarded copy", AccessKind::global_store),
            (AccessSums{.requests = 3, .active_lanes = 73, .sectors = 10, .bytes = 292}));
}

TEST_P(CountedFlow, HasFewerLanesInTheLastWarpOfABlock) {
  const AccessCounts counted = counts(flow, "guarded", {.block = {40}}, 1000);
  EXPECT_EQ(at_mark(counted, flow, "guarded copy", AccessKind::global_load),
            (AccessSums{.requests = 2, .active_lanes = 40, .sectors = 5, .bytes = 160}));
}

TEST_P(CountedFlow, CountsEveryIterationOfALoop) {
  for (const int times : {1, 63, 64, 65, 1000}) {
    const AccessCounts counted = counts(flow, "loop", {.block = {96}}, times);
    const auto requests = static_cast<std::uint64_t>(3 * times);
    EXPECT_EQ(at_mark(counted, flow, "adds up", AccessKind::global_load),
              (AccessSums{requests, 32 * requests, 4 * requests, 128 * requests}))
        << times;
    EXPECT_EQ(at_mark(counted, flow, "sum of a loop", AccessKind::global_store).requests, 3u) << times;
  }
}

TEST_P(CountedFlow, CountsABlockOfManyThreadsInALongLoop) {
  const AccessCounts counted = counts(flow, "loop", {.grid = {3}, .block = {1024}}, 300);
  EXPECT_EQ(at_mark(counted, flow, "adds up", AccessKind::global_load).requests, 3u * 32 * 300);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_load), 4);
  EXPECT_EQ(active_lanes_per_request(counted), 32);
}

TEST_P(CountedFlow, HasARaggedLastRoundOfAGridStrideLoop) {
  // 10 rounds of 128 threads, then 44 of them: a warp and 12 lanes.
  const AccessCounts counted = counts(flow, "stride_over_all", {.grid = {2}, .block = {64}}, 1280 + 44);
  EXPECT_EQ(at_mark(counted, flow, "strided copy", AccessKind::global_load),
            (AccessSums{.requests = 42, .active_lanes = 1324, .sectors = 166, .bytes = 5296}));
}

TEST_P(CountedFlow, StartsAgainAtBarriers) {
  const AccessCounts counted = counts(flow, "sum_by_tree", {.block = {256}});
  // Warps: 4, 2, and then 1 in each of six rounds with 32, 16, 8, 4, 2 and 1 lanes.
  const AccessSums stores = at_mark(counted, flow, "tree step", AccessKind::shared_store);
  EXPECT_EQ(stores.requests, 12u);
  EXPECT_EQ(stores.active_lanes, 255u);
  EXPECT_EQ(stores.bank_wavefronts, 12u);
  EXPECT_EQ(at_mark(counted, flow, "tree step", AccessKind::shared_load).requests, 24u);
  EXPECT_EQ(at_mark(counted, flow, "root", AccessKind::global_store).active_lanes, 1u);
}

TEST_P(CountedFlow, CountsBetweenShuffles) {
  const AccessCounts counted = counts(flow, "sum_by_shuffles", {.block = {64}});
  EXPECT_EQ(at_mark(counted, flow, "after a shuffle", AccessKind::global_store),
            (AccessSums{.requests = 10, .active_lanes = 320, .sectors = 40, .bytes = 1280}));
}

TEST_P(CountedFlow, HasFewerLanesAsTheyLeaveALoop) {
  const AccessCounts counted = counts(flow, "as_often_as_its_lane", {.block = {32}});
  const AccessSums loads = at_mark(counted, flow, "as often", AccessKind::global_load);
  EXPECT_EQ(loads.requests, 31u);
  EXPECT_EQ(loads.active_lanes, 496u);
  EXPECT_EQ(at_mark(counted, flow, "after the loop", AccessKind::global_store).active_lanes, 128u);
  EXPECT_EQ(at_mark(counted, flow, "after the loop", AccessKind::global_store).requests, 4u);
}

TEST_P(CountedFlow, StopsAnEndlessLoop) {
  ::setenv("GPULAB_TIME_LIMIT", "0.1", 1);
  const DeviceBuffer<float> in = buffer(std::vector<float>(1)), out = buffer(std::vector<float>(64));
  const device::DeviceError error = failure(endless_loop, "endless", {.block = {64}},
                                            static_cast<const float*>(in.pointer()), out.pointer(), 0);
  ::unsetenv("GPULAB_TIME_LIMIT");
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_TIMEOUT");
  EXPECT_TRUE(still_works());
}

INSTANTIATE_TEST_SUITE_P(Compilers, CountedFlow, both_compilers, name_of_compiler);

const std::string global_memory_kernels = source_text("tests/simulator/watch/counted_global_memory.cu");

class CountedGlobalMemory : public CountedTest {
 protected:
  double sectors(const std::string& kernel, int number = 0, const LaunchConfig& config = {.block = {128}}) {
    return sectors_per_request(counts(global_memory_kernels, kernel, config, number),
                               AccessKind::global_load);
  }
};

TEST_P(CountedGlobalMemory, CountsOneRequestForEachWarp) {
  const AccessCounts counted = counts(global_memory_kernels, "add", {.grid = {16}, .block = {256}});
  const AccessSums expected{.requests = 128, .active_lanes = 4096, .sectors = 512, .bytes = 16384};
  EXPECT_EQ(at_mark(counted, global_memory_kernels, "adds one", AccessKind::global_load), expected);
  EXPECT_EQ(at_mark(counted, global_memory_kernels, "adds one", AccessKind::global_store), expected);
  EXPECT_EQ(counted.lines.size(), 2u);
  EXPECT_EQ(sector_efficiency(expected), 1);
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
  const AccessSums loads = at_mark(counts(global_memory_kernels, "broadcast", {.block = {32}}),
                                   global_memory_kernels, "broadcast", AccessKind::global_load);
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

TEST_P(CountedGlobalMemory, CountsAtomicsAsAtomics) {
  const AccessCounts one = counts(global_memory_kernels, "all_to_one", {.block = {64}});
  ASSERT_EQ(one.lines.size(), 1u);
  EXPECT_EQ(
      at_mark(one, global_memory_kernels, "all to one", AccessKind::global_atomic),
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
  for (const char* mark : {"increment", "adds two"})
    for (const AccessKind kind : {AccessKind::global_load, AccessKind::global_store})
      EXPECT_EQ(at_mark(counted, global_memory_kernels, mark, kind).requests, 1u) << mark;
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

const std::string shared_memory_kernels = source_text("tests/simulator/watch/counted_shared_memory.cu");

class CountedSharedMemory : public CountedTest {
 protected:
  AccessSums sums(const std::string& kernel, AccessKind kind, int number = 0,
                  const LaunchConfig& config = {.block = {32}}) {
    return sums_of(counts(shared_memory_kernels, kernel, config, number), kind);
  }
};

TEST_P(CountedSharedMemory, HasAllLanesOfAColumnInOneBank) {
  const AccessCounts counted = counts(shared_memory_kernels, "transpose", {.block = {32, 32}});
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "to the tile", AccessKind::shared_store),
            (AccessSums{.requests = 32, .active_lanes = 1024, .bank_wavefronts = 32}));
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "from the tile", AccessKind::shared_load),
            (AccessSums{.requests = 32, .active_lanes = 1024, .bank_wavefronts = 1024}));
}

TEST_P(CountedSharedMemory, HasNoConflictInAPaddedTile) {
  const AccessCounts counted = counts(shared_memory_kernels, "transpose_padded", {.block = {32, 32}});
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "from the tile", AccessKind::shared_load).bank_wavefronts,
            32u);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_load), 4);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_store), 4);
}

TEST_P(CountedSharedMemory, KnowsTheThreadsThatStoredAnArray) {
  const AccessCounts counted = counts(shared_memory_kernels, "transpose_padded", {.block = {32, 32}});
  ASSERT_EQ(counted.writers.size(), 1u);
  EXPECT_EQ(counted.writers[0].array, "tile");
  ASSERT_EQ(counted.writers[0].threads.size(), 32u * 33);
  EXPECT_EQ(counted.writers[0].threads[31], 31u);
  EXPECT_EQ(counted.writers[0].threads[32], SharedWriters::no_thread);
  EXPECT_EQ(counted.writers[0].threads[33], 32u);
}

TEST_P(CountedSharedMemory, CountsDynamicSharedMemory) {
  const LaunchConfig config{.block = {32}, .dynamic_shared_bytes = 4096};
  for (const int stride : {1, 2, 4, 32})
    EXPECT_EQ(sums("strided", AccessKind::shared_store, stride, config).bank_wavefronts,
              static_cast<std::uint64_t>(stride));
  EXPECT_EQ(sums("strided", AccessKind::shared_store, 33, config).bank_wavefronts, 1u);
}

TEST_P(CountedSharedMemory, AnswersAllLanesThatReadOneWordAtOnce) {
  EXPECT_EQ(sums("broadcast", AccessKind::shared_load),
            (AccessSums{.requests = 1, .active_lanes = 32, .bank_wavefronts = 1}));
  EXPECT_EQ(sums("broadcast", AccessKind::shared_store).active_lanes, 1u);
}

TEST_P(CountedSharedMemory, ServesWideAccessesInHalvesAndQuartersOfAWarp) {
  const AccessCounts counted = counts(shared_memory_kernels, "wide", {.block = {64}});
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "twos", AccessKind::shared_store).bank_wavefronts, 4u);
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "fours", AccessKind::shared_store).bank_wavefronts, 8u);
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "twos", AccessKind::shared_store).requests, 2u);
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "fours", AccessKind::shared_store).requests, 2u);
}

TEST_P(CountedSharedMemory, CountsAtomicsAtTheSameAddress) {
  const AccessCounts counted = counts(shared_memory_kernels, "histogram", {.block = {32}}, 2);
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "counts", AccessKind::shared_atomic),
            (AccessSums{.requests = 1, .active_lanes = 32, .bank_wavefronts = 1, .max_same_address = 16}));
  EXPECT_EQ(
      at_mark(counted, shared_memory_kernels, "adds counts", AccessKind::global_atomic).max_same_address, 1u);
  EXPECT_EQ(at_mark(counted, shared_memory_kernels, "adds counts", AccessKind::shared_load).requests, 1u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CountedSharedMemory, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
