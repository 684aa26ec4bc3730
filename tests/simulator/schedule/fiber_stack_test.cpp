#include "simulator/schedule/fiber_stack.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace gpulab::simulator::schedule {
namespace {

TEST(FiberStacks, LendsTheSameStacksAgainOnceTheyAreTakenBack) {
  FiberStacks stacks;
  stacks.reserve(2);
  void* const first = stacks.lend().sp;
  void* const second = stacks.lend().sp;
  EXPECT_NE(first, second);
  stacks.take_all_back();
  EXPECT_EQ(stacks.lend().sp, first);
  EXPECT_EQ(stacks.lend().sp, second);
  EXPECT_NE(stacks.lend().sp, second);
}

TEST(FiberStacks, HaveAllTheirBytesAboveAGuardPage) {
  FiberStacks stacks;
  char* const top = static_cast<char*>(stacks.lend().sp);
  std::memset(top - FiberStacks::usable_bytes, 1, FiberStacks::usable_bytes);
  EXPECT_EQ(top[-1], 1);
  EXPECT_DEATH(*static_cast<volatile char*>(top - FiberStacks::usable_bytes - 2 * 4096) = 1, "");
}

}  // namespace
}  // namespace gpulab::simulator::schedule
