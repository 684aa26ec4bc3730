#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

// Each kernel looks defective, but is correct in blocks of 64 threads.
const std::string correct_kernels = source_text("tests/simulator/watch/correct_kernels.cu");

class CorrectKernels : public CheckedTest {};

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

// memcpy and similar functions, malloc and free, assert, printf.

const std::string memory_kernels = source_text("tests/simulator/watch/memory_functions.cu");

class MemoryFunctions : public CheckedTest {
 protected:
  testing::AssertionResult is_found(const char* kernel, DefectKind kind, const char* word,
                                    const char* other = nullptr) {
    return has(defects(memory_kernels, kernel, {.grid = 1, .block = 64}), kind, line_of(memory_kernels, word),
               other ? line_of(memory_kernels, other) : 0);
  }
};

TEST_P(MemoryFunctions, StayWithinWhatTheyCopyTo) {
  EXPECT_TRUE(is_found("twelve_into_eight", DefectKind::out_of_bounds, "of shared"));
  EXPECT_TRUE(is_found("twelve_into_eight_of_its_own", DefectKind::out_of_bounds, "of its own"));
  EXPECT_TRUE(contains(error_, "writes 4 bytes in line"));
  EXPECT_TRUE(contains(error_, "just past the end of an array of 8 bytes"));
  EXPECT_TRUE(is_found("past_the_end", DefectKind::out_of_bounds, "past the end"));
}

TEST_P(MemoryFunctions, RaceLikeOtherAccesses) {
  EXPECT_TRUE(is_found("overlapping", DefectKind::global_race, "overlap", "overlap"));
  EXPECT_TRUE(is_found("set_without_barrier", DefectKind::shared_race, "set", "count"));
}

TEST_P(MemoryFunctions, CopyOnlyWhatWasWritten) {
  EXPECT_TRUE(is_found("half_of_it_written", DefectKind::shared_uninitialised, "half"));
}

TEST_P(MemoryFunctions, MayCopyStructuresWithTheirGaps) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    EXPECT_TRUE(are_none(defects(memory_kernels, "copies", {.grid = 4, .block = 64}, order)));
}

TEST_P(MemoryFunctions, GiveMemoryOfTheHeap) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    EXPECT_TRUE(are_none(defects(memory_kernels, "takes_and_gives_back", {.grid = 4, .block = 64}, order)));
  EXPECT_TRUE(is_found("past_its_memory", DefectKind::out_of_bounds, "seventeenth"));
  EXPECT_TRUE(is_found("after_it_was_freed", DefectKind::out_of_bounds, "freed"));
  EXPECT_TRUE(is_found("freed_twice", DefectKind::bad_free, "again"));
  const DeviceBuffer<int> out = buffer(std::vector<int>(1));
  defects_of(memory_kernels, "until_there_is_none", {.grid = 1, .block = 32}, forward,
             static_cast<const int*>(nullptr), out.pointer());
  EXPECT_EQ(error_, "");
  EXPECT_GE(out.values().front(), 1);
  EXPECT_LE(out.values().front(), 7) << "of 8 MiB";
}

TEST_P(MemoryFunctions, StopAtAnAssertionThatFails) {
  EXPECT_TRUE(is_found("asserts", DefectKind::failed_assertion, "does not hold"));
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_ASSERT"));
  EXPECT_TRUE(contains(error_, "'in[threadIdx.x] < 50 && \"too large\"' is false in block 0 thread 50"));
  EXPECT_TRUE(still_works());
}

TEST_P(MemoryFunctions, PrintInTheOrderOfTheBlocks) {
  instruments().take_output();
  EXPECT_TRUE(are_none(defects(memory_kernels, "prints", {.grid = 2, .block = 64})));
  const std::string wild = "[] [7   ] [  9]\n";
  EXPECT_EQ(instruments().take_output(), "0.0  1.50 text 5%\n" + wild + "0.1  1.50 text 5%\n" + wild +
                                             "1.0  1.50 text 5%\n" + wild + "1.1  1.50 text 5%\n" + wild);
  EXPECT_EQ(instruments().take_output(), "") << "it was taken";
}

INSTANTIATE_TEST_SUITE_P(Compilers, MemoryFunctions, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
