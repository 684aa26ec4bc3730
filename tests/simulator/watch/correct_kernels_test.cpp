#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

// Each has nothing wrong with it, in blocks of 64 threads, though it looks like one that has.
const std::string correct_kernels = source_text("tests/simulator/watch/correct_kernels.cu");

class CorrectKernels : public CheckedTest {};

TEST_P(CorrectKernels, HaveNoDefectInAnyOrder) {
  for (const char* kernel :
       {"grid_stride", "neighbouring_bytes", "counts", "tree", "warp_synchronous", "halves_of_a_warp",
        "only_some_lanes", "ordered_by_shuffles", "last_block", "last_block_of_all_threads", "last_warp",
        "lock_between_blocks", "vectors", "structures", "local_memory", "read_by_all_written_by_one",
        "flag_between_threads", "chain_of_blocks"})
    for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
      EXPECT_TRUE(are_none(defects(correct_kernels, kernel, {.grid = {16}, .block = {64}}, order)))
          << kernel << ", order " << static_cast<int>(order.kind);
      EXPECT_EQ(error_, "") << kernel;
    }
}

TEST_P(CorrectKernels, MayBeInTwoDimensions) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    EXPECT_TRUE(
        are_none(defects(correct_kernels, "in_two_dimensions", {.grid = {4, 4}, .block = {8, 8}}, order)));
}

TEST_P(CorrectKernels, DoNotRaceWithTheLaunchBefore) {
  const DeviceBuffer<int> in = buffer(std::vector<int>(elements)), out = buffer(std::vector<int>(elements));
  for (int turn = 0; turn < 20; ++turn)
    for (const device::ThreadOrder& order : {forward, reverse})
      EXPECT_TRUE(are_none(defects_of(correct_kernels, "tree", {.grid = {7}, .block = {64}}, order,
                                      static_cast<const int*>(turn % 2 ? out.pointer() : in.pointer()),
                                      turn % 2 ? in.pointer() : out.pointer())));
}

INSTANTIATE_TEST_SUITE_P(Compilers, CorrectKernels, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
