#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

// Updates of volatile words: a load and a store, between which another thread's store is lost.

namespace gpulab::simulator::watch {
namespace {

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
