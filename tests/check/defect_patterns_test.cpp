#include "check/checks.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
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
  EXPECT_EQ(name_of(DefectKind::missing_kernel), "missing-kernel");
  EXPECT_EQ(name_of(DefectKind::time_limit), "time-limit");
  EXPECT_EQ(name_of(DefectKind::stack_overflow), "stack-overflow");
  EXPECT_EQ(name_of(DefectKind::other), "kernel-failure");
}

}  // namespace
}  // namespace gpulab::check
