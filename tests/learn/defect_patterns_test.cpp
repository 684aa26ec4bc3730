#include "learn/explain_defect.hpp"

#include <gtest/gtest.h>

namespace gpulab::learn {
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

TEST(DefectPatterns, NameWhyAKernelWasRefusedOrStopped) {
  EXPECT_EQ(pattern_of(FailureKind::missing_kernel), "missing-kernel");
  EXPECT_EQ(pattern_of(FailureKind::time_limit), "time-limit");
  EXPECT_EQ(pattern_of(FailureKind::stack_overflow), "stack-overflow");
  EXPECT_EQ(pattern_of(FailureKind::other), "kernel-failure");
}

}  // namespace
}  // namespace gpulab::learn
