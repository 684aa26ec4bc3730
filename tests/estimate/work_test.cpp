#include "estimate/ptx.hpp"

#include "test.hpp"

namespace gpulab::estimate {
namespace {

PtxKernel with_a_load_in(const std::string& file, int line) {
  BasicBlock block{.mix = {.issued = 100}};
  block.accesses[{file, line, AccessKind::global_load}] = 1;
  return {.blocks = {block}};
}

AccessCounts loads_in(const std::string& file, int line) {
  LineAccesses loads{.line = line, .file = file};
  loads.sums.requests = 8;
  return {.lines = {loads}};
}

TEST(WorkOfALaunch, HasTheInstructionsOfItsLinesInThatFile) {
  const LaunchConfig config{{1}, {256}};
  const KernelWork work = work_of(loads_in("sums.cuh", 5), config, 1, with_a_load_in("sums.cuh", 5));
  EXPECT_TRUE(work.has_instructions);
  EXPECT_EQ(work.instructions, 800);
}

// Three of 101 blocks were counted: the first made 80 requests, the others 10 each.
TEST(WorkOfALaunch, TakesTheFirstBlockForItselfAndTheOthersForTheRest) {
  AccessCounts counts = loads_in("", 5);
  counts.lines[0].sums.requests = 100;
  counts.sample = {.blocks = 3, .of_blocks = 101, .accesses = 100, .of_first_block = 80};
  EXPECT_DOUBLE_EQ(work_of(counts, {{101}, {256}}, 1, {}).load_requests, 80 + 100 * 10);
  counts.sample.of_first_block = 100;
  EXPECT_DOUBLE_EQ(work_of(counts, {{101}, {256}}, 1, {}).load_requests, 100) << "it left nothing to do";
}

// Barriers are counted by themselves: an unrolled loop has other numbers of barriers than of accesses.
TEST(WorkOfALaunch, HasTheBarriersOfABlock) {
  AccessCounts counts = loads_in("", 5);
  counts.sample = {.blocks = 3, .of_blocks = 101, .accesses = 30, .of_first_block = 10, .barriers = 27};
  EXPECT_DOUBLE_EQ(work_of(counts, {{101}, {256}}, 1, {}).barriers, 9);
  counts.sample = {};
  EXPECT_EQ(work_of(counts, {{101}, {256}}, 1, {}).barriers, 0);
}

LineAccesses shared_loads_in(int line, std::uint64_t requests) {
  LineAccesses loads{.line = line, .kind = AccessKind::shared_load};
  loads.sums.requests = requests;
  loads.sums.bank_wavefronts = 2 * requests;
  return loads;
}

TEST(WorkOfALaunch, HasOneRequestForFourWordsThatAreLoadedTogether) {
  const AccessPlace place{"", 5, AccessKind::shared_load};
  BasicBlock block;
  block.accesses[place] = 8;
  block.merged[place] = 6;
  const KernelWork work =
      work_of({.lines = {shared_loads_in(5, 800)}}, {{1}, {256}}, 1, {{.blocks = {block}}});
  EXPECT_DOUBLE_EQ(work.shared_requests, 200);
  EXPECT_DOUBLE_EQ(work.shared_wavefronts, 400);
}

// The compiler loads once what line 6 reads eight times, and gives that load no line.
TEST(WorkOfALaunch, HasTheLoadsWithoutALineForThoseThatTheCompilerHasTakenAway) {
  BasicBlock block;
  block.accesses[{"", 5, AccessKind::shared_load}] = 1;
  block.accesses[{"", 0, AccessKind::shared_load}] = 1;
  const KernelWork work = work_of({.lines = {shared_loads_in(5, 100), shared_loads_in(6, 800)}}, {{1}, {256}},
                                  1, {{.blocks = {block}}});
  EXPECT_DOUBLE_EQ(work.shared_requests, 200);
}

TEST(WorkOfALaunch, IsGuessedIfThePtxHasNoneOfItsLines) {
  const LaunchConfig config{{1}, {256}};
  EXPECT_FALSE(work_of(loads_in("", 5), config, 1, with_a_load_in("", 6)).has_instructions);
  EXPECT_FALSE(work_of(loads_in("", 5), config, 1, with_a_load_in("sums.cuh", 5)).has_instructions);
}

}  // namespace
}  // namespace gpulab::estimate
