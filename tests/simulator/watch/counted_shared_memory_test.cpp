#include "simulator/watch/counted_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

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
  EXPECT_EQ(at_line(counted, 4, AccessKind::shared_store),
            (AccessSums{.requests = 32, .active_lanes = 1024, .bank_wavefronts = 32}));
  EXPECT_EQ(at_line(counted, 6, AccessKind::shared_load),
            (AccessSums{.requests = 32, .active_lanes = 1024, .bank_wavefronts = 1024}));
  EXPECT_EQ(wavefronts_per_request(counted), 16.5);
}

TEST_P(CountedSharedMemory, HasNoConflictInAPaddedTile) {
  const AccessCounts counted = counts(shared_memory_kernels, "transpose_padded", {.block = {32, 32}});
  EXPECT_EQ(at_line(counted, 6, AccessKind::shared_load).bank_wavefronts, 32u);
  EXPECT_EQ(wavefronts_per_request(counted), 1);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_load), 4);
  EXPECT_EQ(sectors_per_request(counted, AccessKind::global_store), 4);
}

TEST_P(CountedSharedMemory, SeesDynamicSharedMemory) {
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

TEST_P(CountedSharedMemory, ServesWideAccessesInParts) {
  const AccessCounts counted = counts(shared_memory_kernels, "wide", {.block = {64}});
  EXPECT_EQ(at_line(counted, 34, AccessKind::shared_store).bank_wavefronts, 4u);
  EXPECT_EQ(at_line(counted, 35, AccessKind::shared_store).bank_wavefronts, 8u);
  EXPECT_EQ(at_line(counted, 34, AccessKind::shared_store).requests, 2u);
  EXPECT_EQ(at_line(counted, 35, AccessKind::shared_store).requests, 2u);
}

TEST_P(CountedSharedMemory, SeesAtomicsThatMeet) {
  const AccessCounts counted = counts(shared_memory_kernels, "histogram", {.block = {32}}, 2);
  EXPECT_EQ(at_line(counted, 42, AccessKind::shared_atomic),
            (AccessSums{.requests = 1, .active_lanes = 32, .bank_wavefronts = 1, .max_same_address = 16}));
  EXPECT_EQ(at_line(counted, 44, AccessKind::global_atomic).max_same_address, 1u);
  EXPECT_EQ(at_line(counted, 44, AccessKind::shared_load).requests, 1u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CountedSharedMemory, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
