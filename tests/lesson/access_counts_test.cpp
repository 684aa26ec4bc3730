#include "lesson/access_counts.hpp"

#include <gtest/gtest.h>

#include "lesson/access_sums_printer.hpp"

namespace gpulab {
namespace access_counts_test {

AccessCounts some_counts() {
  AccessCounts counts;
  counts.add({9, AccessKind::shared_load, {.requests = 2, .active_lanes = 64, .bank_wavefronts = 34}});
  counts.add({7, AccessKind::global_store, {.requests = 1, .active_lanes = 32, .sectors = 32, .bytes = 128}});
  counts.add({7, AccessKind::global_load, {.requests = 2, .active_lanes = 64, .sectors = 8, .bytes = 256}});
  counts.add({8, AccessKind::global_load, {.requests = 2, .active_lanes = 32, .sectors = 24, .bytes = 128}});
  counts.add({9,
              AccessKind::shared_atomic,
              {.requests = 1, .active_lanes = 32, .bank_wavefronts = 3, .max_same_address = 7}});
  return counts;
}

TEST(AccessCounts, AreInTheOrderOfLinesAndKinds) {
  const AccessCounts counts = some_counts();
  ASSERT_EQ(counts.lines.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(counts.lines[i].line, (std::vector{7, 7, 8, 9, 9})[i]);
  EXPECT_EQ(counts.lines[0].kind, AccessKind::global_load);
  EXPECT_EQ(counts.lines[1].kind, AccessKind::global_store);
}

TEST(AccessCounts, AddUpWhatHasTheSameLineAndKind) {
  AccessCounts counts = some_counts();
  counts.add({8, AccessKind::global_load, {.requests = 1, .active_lanes = 1, .sectors = 1, .bytes = 4}});
  EXPECT_EQ(counts.lines.size(), 5u);
  EXPECT_EQ(sums_of(counts, AccessKind::global_load),
            (AccessSums{.requests = 5, .active_lanes = 97, .sectors = 33, .bytes = 388}));
}

TEST(AccessCounts, GiveMeansOverRequests) {
  const AccessCounts counts = some_counts();
  EXPECT_EQ(sectors_per_request(counts, AccessKind::global_load), 8);
  EXPECT_EQ(sectors_per_request(counts, AccessKind::global_store), 32);
  EXPECT_EQ(active_lanes_per_request(counts), 28);
  EXPECT_DOUBLE_EQ(wavefronts_per_request(counts), 37.0 / 3);
  EXPECT_EQ(wavefronts_per_request(counts, AccessKind::global_load), 0) << "has no banks";
  EXPECT_EQ(max_same_address_per_request(counts), 7);
  EXPECT_EQ(wanted_part_of_sectors(counts), 0.25);
}

TEST(AccessCounts, HaveMeansOfZeroWhereThereIsNothing) {
  EXPECT_EQ(sectors_per_request({}, AccessKind::global_load), 0);
  EXPECT_EQ(wanted_part_of_sectors(AccessCounts{}), 0);
}

}  // namespace access_counts_test
}  // namespace gpulab
