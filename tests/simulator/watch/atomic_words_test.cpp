#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

// What orders accesses to a word that threads share: compare-and-swap loops, scopes, fences, memory orders.

namespace gpulab::simulator::watch {
namespace {

const std::string atomic_word_kernels = source_text("tests/simulator/watch/atomic_words.cu");

class AtomicWords : public CheckedTest {
 protected:
  static constexpr LaunchConfig four_blocks{.grid = 4, .block = 64};
  std::vector<Defect> in_order(const char* kernel, const device::ThreadOrder& order) {
    return defects(atomic_word_kernels, kernel, four_blocks, order);
  }
  static int line(const std::string& word) { return line_of(atomic_word_kernels, word); }
};

TEST_P(AtomicWords, MayBeReadPlainlyBeforeTheyAreComparedAndSwapped) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const char* kernel : {"add_to_double", "largest", "largest_shared", "looks_before_it_tries"})
      EXPECT_TRUE(are_none(in_order(kernel, order))) << kernel;
}

TEST_P(AtomicWords, MayNotBeReadPlainlyForTheirValue) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    EXPECT_TRUE(
        has(in_order("counter_read_plainly", order), DefectKind::global_race, line("count"), line("look")));
    EXPECT_TRUE(has(in_order("swapped_then_read_plainly", order), DefectKind::global_race, line("swap"),
                    line("look after")));
  }
}

TEST_P(AtomicWords, OfABlockAreNoneForOtherBlocks) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    EXPECT_TRUE(has(in_order("of_a_block_between_blocks", order), DefectKind::global_race, line("of a block"),
                    line("of a block")));
    EXPECT_TRUE(are_none(in_order("of_a_block_in_each", order)));
    EXPECT_TRUE(has(in_order("fence_of_a_block_between_blocks", order), DefectKind::global_race,
                    line("protected"), line("protected")));
  }
}

TEST_P(AtomicWords, CountAsWrittenByAtomicsForWhichTheOldValueDoesNotMatter) {
  EXPECT_TRUE(are_none(in_order("initialised_by_atomics", forward)));
  EXPECT_TRUE(
      has(in_order("added_to_nothing", forward), DefectKind::shared_uninitialised, line("to nothing")));
}

INSTANTIATE_TEST_SUITE_P(Compilers, AtomicWords, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
