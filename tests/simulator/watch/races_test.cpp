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

const std::string shared_race_kernels = source_text("tests/simulator/watch/shared_race.cu");

class SharedRace : public CheckedTest {
 protected:
  void expect_race(const std::string& kernel, unsigned threads, const char* one, const char* other) {
    for (const device::ThreadOrder& order : {forward, reverse, preempted})
      EXPECT_TRUE(has(defects(shared_race_kernels, kernel, {.grid = {2}, .block = {threads}}, order),
                      DefectKind::shared_race, line_of(shared_race_kernels, one),
                      line_of(shared_race_kernels, other)))
          << kernel << ", order " << static_cast<int>(order.kind);
    EXPECT_EQ(error_, "");
  }
};

TEST_P(SharedRace, IsFoundWhereABarrierIsMissing) {
  expect_race("count_without_barrier", 64, "zeroing", "counting");
  expect_race("neighbour_without_barrier", 256, "own", "neighbour");
  expect_race("tree_without_barrier", 256, "sum", "sum");
  expect_race("reused_too_early", 256, "reuse", "use");
}

TEST_P(SharedRace, IsFoundWhereAnAtomicIsMissing) {
  expect_race("count_without_atomics", 64, "plain", "plain");
  expect_race("read_of_an_atomic", 64, "atomic", "too early");
}

TEST_P(SharedRace, IsFoundWithinAWarp) {
  expect_race("warp_without_syncwarp", 32, "lane", "partner");
  expect_race("syncwarp_of_one_half", 32, "half", "other half");
  expect_race("volatile_lanes", 64, "volatile store", "volatile load");
}

TEST_P(SharedRace, IsFoundBetweenWarpsThatOnlySynchroniseThemselves) {
  expect_race("warps_with_syncwarp", 64, "warp", "other warp");
}

TEST_P(SharedRace, IsFoundOnASingleByte) {
  expect_race("same_byte", 64, "byte", "byte");
}

TEST_P(SharedRace, NamesBothThreadsAndTheVariable) {
  auto found = defects(shared_race_kernels, "neighbour_without_barrier", {.block = {256}});
  ASSERT_EQ(found.size(), 2u) << are_none(found).message();
  EXPECT_EQ(found[0].kind, DefectKind::shared_uninitialised);
  found.erase(found.begin());
  EXPECT_EQ(found[0].memory.variable, "tile");
  EXPECT_EQ(found[0].memory.bytes, 1024u);
  EXPECT_GT(found[0].count, 200u);
  // Thread 0 reads what thread 1 has not yet written.
  EXPECT_EQ(found[0].address - found[0].memory.begin, 4u);
  ASSERT_TRUE(found[0].party.place && found[0].other && found[0].other->place);
  EXPECT_EQ(found[0].party.place->thread, (Extent{1, 0, 0}));
  EXPECT_EQ(found[0].party.access, DefectAccess::store);
  EXPECT_EQ(found[0].other->place->thread, (Extent{0, 0, 0}));
  EXPECT_EQ(found[0].other->access, DefectAccess::load);
  EXPECT_EQ(
      explanation_of(found[0]),
      "data race in shared memory: block 0 thread 1 (warp 0, lane 1) writes in line 20 what block 0 thread 0 "
      "(warp 0, lane 0) read in line 21, byte 4 of 'tile' of 1024 bytes, with no barrier or __syncwarp() "
      "between "
      "them");
}

TEST_P(SharedRace, IsANoteWhereAllWriteTheSameValue) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    const auto found = defects(shared_race_kernels, "same_value", {.block = {64}}, order);
    ASSERT_EQ(found.size(), 1u) << are_none(found).message();
    EXPECT_TRUE(found[0].is_note);
    EXPECT_EQ(found[0].party.line, line_of(shared_race_kernels, "flag"));
    EXPECT_TRUE(contains(explanation_of(found[0]), "several threads write the same value"));
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, SharedRace, both_compilers, name_of_compiler);

// A warp whose lanes meet by __syncwarp(), and of which one lane publishes or learns for all of them.

const std::string warp_release_kernels = source_text("tests/simulator/watch/warp_releases.cu");

class WarpReleases : public CheckedTest {
 protected:
  std::vector<Defect> found(const std::string& kernel, const device::ThreadOrder& order, unsigned threads) {
    return defects(warp_release_kernels, kernel, {.grid = 4, .block = threads}, order);
  }
  static int line(const std::string& word) { return line_of(warp_release_kernels, word); }
};

TEST_P(WarpReleases, PublishWhatAllLanesDidBeforeTheyMet) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    EXPECT_TRUE(are_none(found("from_warp_to_warp", order, 64)));
    EXPECT_TRUE(are_none(defects(warp_release_kernels, "by_half_a_warp", {.grid = 1, .block = 64}, order)));
    EXPECT_TRUE(are_none(found("last_block_of_warps", order, 32)));
    EXPECT_TRUE(are_none(found("each_lane_has_a_fence", order, 32)));
  }
}

TEST_P(WarpReleases, NeedAMeetingBeforeTheFenceAndOneAfter) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    for (const char* kernel : {"without_meeting_before", "without_a_fence", "without_meeting_after"})
      EXPECT_TRUE(has(found(kernel, order, 64), DefectKind::shared_race, line("write"), line("read")))
          << kernel;
    EXPECT_TRUE(
        has(found("beside_half_a_warp", order, 64), DefectKind::shared_race, line("beside"), line("beyond")));
    EXPECT_TRUE(has(found("last_block_that_did_not_meet", order, 32), DefectKind::global_race, line("part"),
                    line("sum")));
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, WarpReleases, both_compilers, name_of_compiler);

// Updates of volatile words: a load and a store, between which another thread's store is lost.

const std::string volatile_update_kernels = source_text("tests/simulator/watch/volatile_updates.cu");

class VolatileUpdates : public CheckedTest {
 protected:
  std::vector<Defect> found(const std::string& kernel, const device::ThreadOrder& order) {
    return defects(volatile_update_kernels, kernel, {.grid = 4, .block = 64}, order);
  }
  static int line(const std::string& word) { return line_of(volatile_update_kernels, word); }
};

TEST_P(VolatileUpdates, AreLostWhereNothingOrdersThem) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    const auto of_blocks = found("of_blocks", order);
    EXPECT_TRUE(has(of_blocks, DefectKind::global_race, line("update"), line("update")));
    ASSERT_FALSE(of_blocks.empty());
    EXPECT_TRUE(contains(explanation_of(of_blocks[0]), "volatile makes no update atomic"));
    EXPECT_TRUE(
        has(found("of_doubles", order), DefectKind::global_race, line("of a double"), line("of a double")));
    EXPECT_TRUE(has(found("by_threads_of_a_block", order), DefectKind::global_race, line("of a block"),
                    line("of a block")));
    for (const char* lock : {"lock_without_fences", "lock_with_fences_of_a_block"})
      EXPECT_TRUE(has(found(lock, order), DefectKind::global_race, line("locked"), line("locked"))) << lock;
  }
}

TEST_P(VolatileUpdates, AreKeptByLocksTurnsAndBarriers) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const char* kernel :
         {"lock_with_fences", "takes_turns", "ticket_lock", "grid_barrier", "after_a_barrier"})
      EXPECT_TRUE(are_none(found(kernel, order))) << kernel;
}

TEST_P(VolatileUpdates, AreNoStoresOfTheSameValueNorOfOwnWordsNorOfWhatNobodyRead) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const char* kernel : {"says_that_it_was_there", "own_words", "stores_alone"})
      EXPECT_TRUE(are_none(found(kernel, order))) << kernel;
}

INSTANTIATE_TEST_SUITE_P(Compilers, VolatileUpdates, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
