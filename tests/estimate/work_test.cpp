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

TEST(WorkOfALaunch, IsGuessedIfThePtxHasNoneOfItsLines) {
  const LaunchConfig config{{1}, {256}};
  EXPECT_FALSE(work_of(loads_in("", 5), config, 1, with_a_load_in("", 6)).has_instructions);
  EXPECT_FALSE(work_of(loads_in("", 5), config, 1, with_a_load_in("sums.cuh", 5)).has_instructions);
}

}  // namespace
}  // namespace gpulab::estimate
