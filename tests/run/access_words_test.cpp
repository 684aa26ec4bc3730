#include "run/documents.hpp"

#include <gtest/gtest.h>

namespace gpulab::run {
namespace {

// A hundred requests.
CostlyAccess costly(AccessCost cost, AccessKind kind, AccessSums sums, AccessPattern pattern = {}) {
  sums.requests = 100;
  if (sums.active_lanes == 0) sums.active_lanes = 3200;
  return {{14, kind, sums, pattern}, cost};
}

std::string sectors(AccessSums sums, LaneStride stride) {
  return costly_access_text(costly(AccessCost::sectors, AccessKind::global_load, sums,
                                   {.min_sectors = 400, .costly_stride = stride}));
}

TEST(CostlyAccessText, NamesTheStrideOfNeighbours) {
  EXPECT_EQ(
      sectors({.sectors = 3200, .bytes = 12800}, {128, 2800}),
      "line 14, global load: each request of a warp touches 32 sectors where 4 would be enough: neighbouring "
      "threads "
      "read addresses 128 bytes apart.");
}

TEST(CostlyAccessText, TellsWhatIsMisalignedAndWhatIsScattered) {
  EXPECT_EQ(sectors({.sectors = 500, .bytes = 12800}, {4, 100}),
            "line 14, global load: each request of a warp touches 5 sectors where 4 would be enough: "
            "neighbouring threads "
            "read neighbouring elements, but these do not begin where a sector does.");
  EXPECT_EQ(sectors({.sectors = 2037, .bytes = 12800}, {4, 100}),
            "line 14, global load: each request of a warp touches on average 20.4 sectors where 4 would be "
            "enough: its "
            "threads read scattered addresses.");
}

TEST(CostlyAccessText, TellsOfGapsWhereLanesAreIdle) {
  EXPECT_EQ(
      sectors({.active_lanes = 1600, .sectors = 500, .bytes = 6400}, {}),
      "line 14, global load: each request of a warp touches 5 sectors where 4 would be enough: only 16 of 32 "
      "lanes are active, with gaps between what they read.");
}

TEST(CostlyAccessText, TellsOfBanksThatMeet) {
  const auto text = [](std::int64_t stride) {
    return costly_access_text(costly(AccessCost::bank_conflicts, AccessKind::shared_store,
                                     {.active_lanes = 1250, .bank_wavefronts = 3200},
                                     {.min_bank_wavefronts = 100, .costly_stride = {stride, 3100}}));
  };
  EXPECT_EQ(text(128),
            "line 14, shared store: each request of a warp takes 32 passes over shared memory where 1 would "
            "be enough: "
            "neighbouring threads write addresses 128 bytes apart, all in one bank. Besides, on average only "
            "12.5 of "
            "32 lanes are active.");
  EXPECT_NE(text(8).find("8 bytes apart, and several fall into one bank"), std::string::npos);
}

TEST(CostlyAccessText, TellsOfAtomicsThatMeetAndOfIdleLanes) {
  EXPECT_EQ(costly_access_text(
                costly(AccessCost::same_address, AccessKind::shared_atomic, {.max_same_address = 3200})),
            "line 14, shared atomic: 32 lanes of a warp update one address and wait for each other; with "
            "an address each, none would wait.");
  EXPECT_EQ(
      costly_access_text(costly(AccessCost::idle_lanes, AccessKind::shared_load, {.active_lanes = 500})),
      "line 14, shared load: only 5 of 32 lanes are active; the others take another path, or have "
      "nothing to do.");
}

TEST(CostlyAccessText, DoesWithoutALineThatIsNotKnown) {
  CostlyAccess unknown = costly(AccessCost::idle_lanes, AccessKind::shared_load, {.active_lanes = 500});
  unknown.accesses.line = 0;
  EXPECT_TRUE(costly_access_text(unknown).starts_with("an unknown line, shared load: "));
}

TEST(MeanText, IsAWholeNumberWhereItIsOne) {
  EXPECT_EQ(mean_text(64, 2), "32");
  EXPECT_EQ(mean_text(1, 3), "0.333");
  EXPECT_EQ(mean_text(11999, 3000), "4.00");
  EXPECT_EQ(mean_text(0, 0), "n/a");
}

}  // namespace
}  // namespace gpulab::run
