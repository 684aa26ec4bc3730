#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

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

}  // namespace
}  // namespace gpulab::simulator::watch
