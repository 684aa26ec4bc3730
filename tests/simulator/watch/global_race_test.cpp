#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string global_race_kernels = source_text("tests/simulator/watch/global_race.cu");

class GlobalRace : public CheckedTest {
 protected:
  void expect_race(const std::string& kernel, unsigned blocks, const char* one, const char* other) {
    for (const device::ThreadOrder& order : {forward, reverse, preempted})
      EXPECT_TRUE(has(defects(global_race_kernels, kernel, {.grid = {blocks}, .block = {64}}, order),
                      DefectKind::global_race, line_of(global_race_kernels, one),
                      line_of(global_race_kernels, other)))
          << kernel << ", order " << static_cast<int>(order.kind);
    EXPECT_EQ(error_, "");
  }
};

TEST_P(GlobalRace, IsFoundBetweenThreadsAndBlocks) {
  expect_race("count_without_atomics", 1, "plain", "plain");
  expect_race("count_without_atomics", 16, "plain", "plain");
  expect_race("shift_in_place", 1, "shift", "shift");
  expect_race("shift_in_place", 16, "shift", "shift");
  expect_race("variable_of_the_module", 1, "total", "total");
}

TEST_P(GlobalRace, IsFoundBetweenBlocksThoughEachHasABarrier) {
  expect_race("every_block_zeroes", 16, "zero", "add");
  expect_race("reads_of_the_next_block", 16, "own", "next");
}

TEST_P(GlobalRace, IsFoundAfterABarrierOfOneBlock) {
  expect_race("within_a_block", 1, "read", "write again");
}

TEST_P(GlobalRace, IsFoundWhereTheLastBlockReadsWhatWasNotPublished) {
  expect_race("ticket_without_fence", 16, "partial", "gather");
  expect_race("wrong_threads_partial", 16, "of five", "of all");
}

TEST_P(GlobalRace, IsFoundBehindAVolatileFlagWithoutAFence) {
  expect_race("flag_without_fence", 1, "message", "received");
}

TEST_P(GlobalRace, IsFoundWhereOnlyOneSideIsVolatile) {
  expect_race("plain_flag", 1, "plainly", "flag");
  for (const Defect& defect : defects(global_race_kernels, "plain_flag", {.block = {64}}))
    EXPECT_FALSE(contains(explanation_of(defect), "atomically")) << defect;
}

TEST_P(GlobalRace, IsFoundOnPartsOfAVector) {
  expect_race("wide_and_narrow", 1, "wide", "narrow");
}

TEST_P(GlobalRace, NamesBothBlocksAndTheElement) {
  const auto found = defects(global_race_kernels, "every_block_zeroes", {.grid = {2}, .block = {32}});
  ASSERT_FALSE(found.empty());
  for (const Defect& defect : found) {
    ASSERT_TRUE(defect.party.place && defect.other && defect.other->place) << defect;
    EXPECT_NE(defect.party.place->block, defect.other->place->block) << defect;
    EXPECT_EQ(defect.memory.bytes, elements * sizeof(int));
    EXPECT_LT(defect.address - defect.memory.begin, 64u);
    EXPECT_TRUE(contains(explanation_of(defect), "nothing orders two blocks of one launch"));
    EXPECT_TRUE(contains(explanation_of(defect, [](std::uintptr_t) { return "bins[3]"; }), ", bins[3], "));
  }
}

TEST_P(GlobalRace, IsANoteWhereAllWriteTheSameValue) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const Defect& defect : defects(global_race_kernels, "same_value", {.block = {64}}, order))
      EXPECT_TRUE(defect.is_note) << defect;
}

INSTANTIATE_TEST_SUITE_P(Compilers, GlobalRace, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
