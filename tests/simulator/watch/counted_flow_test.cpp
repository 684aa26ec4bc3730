#include "simulator/watch/counted_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string kernels = source_text("tests/simulator/watch/counted_flow.cu");

const std::string loop_of_three = source_text("tests/simulator/watch/counted_flow_of_three.cu");

const std::string endless = R"(__global__ void endless(const float* in, float* out, int) {
  while (in[0] == 0) out[threadIdx.x] = 1;
}
)";

using CountedFlow = CountedTest;

TEST_P(CountedFlow, KeepsTheStoresOfTwoBranchesApart) {
  const AccessCounts counted = counts(kernels, "even_and_odd", {.grid = {2}, .block = {128}});
  for (const int line : {4, 6})
    for (const AccessKind kind : {AccessKind::global_load, AccessKind::global_store})
      EXPECT_EQ(at_line(counted, line, kind),
                (AccessSums{.requests = 8, .active_lanes = 128, .sectors = 32, .bytes = 512}))
          << line;
  EXPECT_EQ(active_lanes_per_request(counted), 16);
}

TEST_P(CountedFlow, KeepsBranchesInOneLineApart) {
  const AccessCounts counted = counts(kernels, "even_and_odd_in_one_line", {.block = {32}});
  const AccessSums stores = at_line(counted, 11, AccessKind::global_store);
  EXPECT_EQ(stores.requests, 2u);
  EXPECT_EQ(stores.active_lanes, 32u);
}

TEST_P(CountedFlow, KeepsBranchesInALongLoopApart) {
  const AccessCounts counted = counts(kernels, "loop_of_branches", {.block = {64}}, 1000);
  EXPECT_EQ(at_line(counted, 17, AccessKind::global_store).active_lanes, 64u * 250);
  EXPECT_EQ(at_line(counted, 19, AccessKind::global_store).active_lanes, 64u * 750);
}

TEST_P(CountedFlow, CountsMoreThanItCanRememberAtOnce) {
  const AccessCounts counted = counts(loop_of_three, "loop_of_three", {.grid = {2}, .block = {1024}}, 60);
  const AccessSums expected{.requests = 3840, .active_lanes = 122880, .sectors = 15360, .bytes = 491520};
  EXPECT_EQ(at_line(counted, 4, AccessKind::global_load), expected);
  EXPECT_EQ(at_line(counted, 5, AccessKind::global_load), expected);
  EXPECT_EQ(at_line(counted, 6, AccessKind::global_store), expected);
  EXPECT_EQ(at_line(counted, 9, AccessKind::global_store).requests, 64u);
}

TEST_P(CountedFlow, LeavesOutThreadsThatReturnedEarly) {
  const AccessCounts counted = counts(kernels, "guarded", {.grid = {2}, .block = {64}}, 73);
  EXPECT_EQ(at_line(counted, 25, AccessKind::global_store),
            (AccessSums{.requests = 3, .active_lanes = 73, .sectors = 10, .bytes = 292}));
}

TEST_P(CountedFlow, HasFewerLanesInTheLastWarpOfABlock) {
  const AccessCounts counted = counts(kernels, "guarded", {.block = {40}}, 1000);
  EXPECT_EQ(at_line(counted, 25, AccessKind::global_load),
            (AccessSums{.requests = 2, .active_lanes = 40, .sectors = 5, .bytes = 160}));
}

TEST_P(CountedFlow, CountsEveryIterationOfALoop) {
  for (const int times : {1, 63, 64, 65, 1000}) {
    const AccessCounts counted = counts(kernels, "loop", {.block = {96}}, times);
    const auto requests = static_cast<std::uint64_t>(3 * times);
    EXPECT_EQ(at_line(counted, 31, AccessKind::global_load),
              (AccessSums{requests, 32 * requests, 4 * requests, 128 * requests}))
        << times;
    EXPECT_EQ(at_line(counted, 32, AccessKind::global_store).requests, 3u) << times;
  }
}

TEST_P(CountedFlow, CountsABlockOfManyThreadsInALongLoop) {
  const AccessCounts counted = counts(kernels, "loop", {.grid = {3}, .block = {1024}}, 300);
  EXPECT_EQ(at_line(counted, 31, AccessKind::global_load).requests, 3u * 32 * 300);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_load), 4);
  EXPECT_EQ(active_lanes_per_request(counted), 32);
}

TEST_P(CountedFlow, HasARaggedLastRoundOfAGridStrideLoop) {
  // 10 rounds of 128 threads, then 44 of them: a warp and 12 lanes.
  const AccessCounts counted = counts(kernels, "stride_over_all", {.grid = {2}, .block = {64}}, 1280 + 44);
  EXPECT_EQ(at_line(counted, 37, AccessKind::global_load),
            (AccessSums{.requests = 42, .active_lanes = 1324, .sectors = 166, .bytes = 5296}));
}

TEST_P(CountedFlow, StartsAgainAtBarriers) {
  const AccessCounts counted = counts(kernels, "sum_by_tree", {.block = {256}});
  // Warps: 4, 2, and then 1 in each of six rounds with 32, 16, 8, 4, 2 and 1 lanes.
  const AccessSums stores = at_line(counted, 46, AccessKind::shared_store);
  EXPECT_EQ(stores.requests, 12u);
  EXPECT_EQ(stores.active_lanes, 255u);
  EXPECT_EQ(stores.bank_wavefronts, 12u);
  EXPECT_EQ(at_line(counted, 46, AccessKind::shared_load).requests, 24u);
  EXPECT_EQ(at_line(counted, 48, AccessKind::global_store).active_lanes, 1u);
}

TEST_P(CountedFlow, CountsBetweenShuffles) {
  const AccessCounts counted = counts(kernels, "sum_by_shuffles", {.block = {64}});
  EXPECT_EQ(at_line(counted, 55, AccessKind::global_store),
            (AccessSums{.requests = 10, .active_lanes = 320, .sectors = 40, .bytes = 1280}));
}

TEST_P(CountedFlow, HasFewerLanesAsTheyLeaveALoop) {
  const AccessCounts counted = counts(kernels, "as_often_as_its_lane", {.block = {32}});
  const AccessSums loads = at_line(counted, 62, AccessKind::global_load);
  EXPECT_EQ(loads.requests, 31u);
  EXPECT_EQ(loads.active_lanes, 496u);
  EXPECT_EQ(at_line(counted, 65, AccessKind::global_store).active_lanes, 128u);
  EXPECT_EQ(at_line(counted, 65, AccessKind::global_store).requests, 4u);
}

TEST_P(CountedFlow, EndsALoopWithoutAnEnd) {
  ::setenv("GPULAB_TIME_LIMIT", "0.1", 1);
  const DeviceBuffer<float> in = buffer(std::vector<float>(1)), out = buffer(std::vector<float>(64));
  const device::DeviceError error =
      failure(endless, "endless", {.block = {64}}, static_cast<const float*>(in.pointer()), out.pointer(), 0);
  ::unsetenv("GPULAB_TIME_LIMIT");
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_TIMEOUT");
  EXPECT_TRUE(still_works());
}

INSTANTIATE_TEST_SUITE_P(Compilers, CountedFlow, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
