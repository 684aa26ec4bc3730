#include <regex>

#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string global_race_kernels = source_text("tests/simulator/watch/global_race.cu");

class GlobalRace : public CheckedTest {};

TEST_P(GlobalRace, DoesNotMentionAtomicsWhereOnlyOneSideIsVolatile) {
  for (const Defect& defect : defects(global_race_kernels, "plain_flag", {.block = {64}}))
    EXPECT_FALSE(contains(explanation_of(defect), "atomically")) << defect;
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
    const auto bin = [](std::uintptr_t) { return MemoryName{.element = "bins[3]"}; };
    EXPECT_TRUE(contains(explanation_of(defect, bin), " writes bins[3] in line "));
  }
}

TEST_P(GlobalRace, IsANoteWhereAllWriteTheSameValue) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const Defect& defect : defects(global_race_kernels, "same_value", {.block = {64}}, order))
      EXPECT_TRUE(defect.is_note) << defect;
}

INSTANTIATE_TEST_SUITE_P(Compilers, GlobalRace, both_compilers, name_of_compiler);

const std::string shared_race_kernels = source_text("tests/simulator/watch/shared_race.cu");

class SharedRace : public CheckedTest {};

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
  const std::string own = "line " + std::to_string(line_of(shared_race_kernels, "own")),
                    neighbour = "line " + std::to_string(line_of(shared_race_kernels, "neighbour"));
  EXPECT_EQ(explanation_of(found[0]), "data race in shared memory: block 0 thread 1 writes in " + own +
                                          " what thread 0 of the same warp read in " + neighbour +
                                          ", byte 4 of 'tile' of 1024 bytes, with no barrier between " + own +
                                          " and " + neighbour);
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

class KernelsOfATable : public CheckedTest {};

// The last lines of each file state them: "// expect: KERNEL, 4 x 64: shared race, write, read".
TEST_P(KernelsOfATable, HaveTheStatedDefectsInEveryOrder) {
  const std::map<std::string, DefectKind> kinds{{"global race", DefectKind::global_race},
                                                {"shared race", DefectKind::shared_race},
                                                {"uninitialised", DefectKind::shared_uninitialised}};
  const std::regex row(R"(// expect: (\w+), (\d+) x (\d+): ([\w ]+)(?:, ([\w ]+))?(?:, ([\w ]+))?)");
  for (const char* file : {"global_race", "shared_race", "warp_releases", "volatile_updates", "atomic_words",
                           "correct_kernels"}) {
    const std::string text = source_text("tests/simulator/watch/" + std::string(file) + ".cu");
    for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
      const std::smatch& part = *at;
      const std::string kernel = part[1], defect = part[4], mark = part[5], other_mark = part[6];
      const unsigned blocks = static_cast<unsigned>(std::stoul(part[2])),
                     threads = static_cast<unsigned>(std::stoul(part[3]));
      for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
        const auto found = defects(text, kernel, {.grid = {blocks}, .block = {threads}}, order);
        const int other_line = other_mark.empty() ? 0 : line_of(text, other_mark);
        const auto is_as_stated = defect == "nothing"
                                      ? are_none(found)
                                      : has(found, kinds.at(defect), line_of(text, mark), other_line);
        EXPECT_TRUE(is_as_stated) << file << ".cu, " << part[0] << ", order " << static_cast<int>(order.kind);
        EXPECT_EQ(error_, "") << part[0];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, KernelsOfATable, both_compilers, name_of_compiler);

class VolatileUpdates : public CheckedTest {};

TEST_P(VolatileUpdates, AreReportedAsNotAtomic) {
  const std::string kernels = source_text("tests/simulator/watch/volatile_updates.cu");
  const auto found = defects(kernels, "of_blocks", {.grid = 4, .block = 64});
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(contains(explanation_of(found[0]), "volatile makes no update atomic"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, VolatileUpdates, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
