#include "exercise/defect_patterns.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

Defect defect(DefectKind kind, DefectAccess access = DefectAccess::load) {
  Defect made;
  made.kind = kind;
  made.party.access = access;
  return made;
}

TEST(DefectPatterns, NameReadsAndWritesApart) {
  EXPECT_EQ(pattern_of(defect(DefectKind::out_of_bounds, DefectAccess::load)), "out-of-bounds-read");
  EXPECT_EQ(pattern_of(defect(DefectKind::out_of_bounds, DefectAccess::store)), "out-of-bounds-write");
  EXPECT_EQ(pattern_of(defect(DefectKind::shared_race)), "race-shared");
}

TEST(DefectPatterns, CallAnOverrunOfDynamicSharedMemoryTooLittleOfIt) {
  Defect overrun = defect(DefectKind::shared_out_of_bounds, DefectAccess::store);
  overrun.memory.variable = "extern __shared__";
  EXPECT_EQ(pattern_of(overrun), "not-enough-shared");
  overrun.memory.variable = "tile";
  EXPECT_EQ(pattern_of(overrun), "out-of-bounds-write");
}

TEST(DefectPatterns, PutTheCauseBeforeWhatFollowsFromIt) {
  const auto sorted = by_gravity({defect(DefectKind::shared_uninitialised), defect(DefectKind::shared_race),
                                  defect(DefectKind::divergent_barrier),
                                  defect(DefectKind::out_of_bounds, DefectAccess::load),
                                  defect(DefectKind::out_of_bounds, DefectAccess::store)});
  ASSERT_EQ(sorted.size(), 5u);
  EXPECT_EQ(sorted[0].kind, DefectKind::divergent_barrier);
  EXPECT_EQ(sorted[1].party.access, DefectAccess::store);
  EXPECT_EQ(sorted[3].kind, DefectKind::shared_race);
  EXPECT_EQ(sorted[4].kind, DefectKind::shared_uninitialised);
}

TEST(DefectPatterns, NameWhyAKernelWasRefusedOrStopped) {
  EXPECT_EQ(pattern_of(FailureKind::missing_kernel), "missing-kernel");
  EXPECT_EQ(pattern_of(FailureKind::time_limit), "time-limit");
  EXPECT_EQ(pattern_of(FailureKind::stack_overflow), "stack-overflow");
  EXPECT_EQ(pattern_of(FailureKind::other), "kernel-failure");
}

TEST(DefectPatterns, LeaveNotesOut) {
  Defect note = defect(DefectKind::global_race);
  note.is_note = true;
  EXPECT_TRUE(by_gravity({note}).empty());
}

}  // namespace
}  // namespace gpulab
