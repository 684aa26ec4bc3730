#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string kernels = source_text("tests/simulator/watch/barrier_defects.cu");

class BarrierDefects : public CheckedTest {};

TEST_P(BarrierDefects, AreBarriersInTwoBranches) {
  for (const device::ThreadOrder& order : {forward, reverse}) {
    const auto found = defects(kernels, "diverge", {.grid = {2}, .block = {64}}, order);
    EXPECT_TRUE(
        has(found, DefectKind::divergent_barrier, line_of(kernels, "first"), line_of(kernels, "second")));
    EXPECT_TRUE(contains(error_, "divergent barrier"));
    EXPECT_TRUE(contains(found.at(0).detail, "32 in line 3"));
  }
}

TEST_P(BarrierDefects, AreThreadsThatReturnBeforeABarrier) {
  const auto found = defects(kernels, "return_early", {.grid = {3}, .block = {64}});
  ASSERT_EQ(found.size(), 1u) << are_none(found).message();
  EXPECT_EQ(found[0].kind, DefectKind::missed_barrier);
  EXPECT_EQ(found[0].party.line, line_of(kernels, "missed"));
  EXPECT_EQ(found[0].count, 3u);
  ASSERT_TRUE(found[0].other && found[0].other->place);
  EXPECT_EQ(found[0].other->place->thread.x, 40u);
  EXPECT_EQ(error_, "");
}

TEST_P(BarrierDefects, AreDeadlocks) {
  const auto found = defects(kernels, "half_a_warp", {.block = {32}});
  EXPECT_TRUE(has(found, DefectKind::deadlock, line_of(kernels, "third"), line_of(kernels, "fourth")));
  EXPECT_TRUE(contains(error_, "deadlock"));
}

TEST_P(BarrierDefects, AreMasksThatLeaveOutTheirOwnLane) {
  const auto found = defects(kernels, "without_itself", {.block = {32}});
  EXPECT_TRUE(has(found, DefectKind::wrong_mask, line_of(kernels, "mask")));
  EXPECT_TRUE(contains(error_, "leaves out the lane"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, BarrierDefects, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
