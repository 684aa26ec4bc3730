#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::schedule {
namespace {

const std::string barriers = source_text("tests/simulator/schedule/block_scheduler.cu");

std::string number_of_line(const std::string& text, const std::string& word) {
  return std::to_string(line_of(text, word));
}

const std::string faulty = source_text("tests/simulator/schedule/block_scheduler_faulty.cu");

class BlockSchedulerTest : public SimulatorTest {
 protected:
  // Returns the error of a faulty kernel's launch. The device must still work afterwards.
  device::DeviceError failure_of(const std::string& kernel, const LaunchConfig& config) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(1024));
    const device::DeviceError error = failure(faulty, kernel, config, out.pointer());
    EXPECT_TRUE(still_works());
    return error;
  }
};

TEST_P(BlockSchedulerTest, CountsPredicatesAtBarriers) {
  // Results are 100 count + 10 all + any, where `any` asks for a number above 99.
  std::vector<int> in(100, 0);
  for (std::size_t i = 0; i < in.size(); i += 3) in[i] = 5;
  EXPECT_EQ(results<int>(barriers, "count_predicates", {.grid = {3}, .block = {100}}, in, 3),
            std::vector<int>(3, 3400));
  EXPECT_EQ(results<int>(barriers, "count_predicates", {.block = {70}}, std::vector<int>(70, 1), 1),
            std::vector<int>{7010});
  in[99] = 100;
  EXPECT_EQ(results<int>(barriers, "count_predicates", {.block = {100}}, in, 1), std::vector<int>{3401});
}

TEST_P(BlockSchedulerTest, KeepsBlocksOfAnySizeInStep) {
  for (const unsigned threads : {1u, 2u, 31u, 32u, 33u, 100u, 1023u, 1024u}) {
    std::vector<int> expected;
    for (unsigned item = 0; item < 20 * threads; ++item)
      expected.push_back(static_cast<int>(7 + (item % threads + 5) % threads));
    EXPECT_EQ(results<int>(barriers, "pass_along", {.grid = {20}, .block = {threads}}, std::vector<int>{7},
                           20 * threads),
              expected)
        << threads << " threads";
    EXPECT_EQ(instruments().take_notes(), std::vector<std::string>{});
  }
}

TEST_P(BlockSchedulerTest, GoesOnWithoutThreadsThatHaveReturnedAndNotesIt) {
  const auto out =
      results<int>(barriers, "leave_before_the_barrier", {.block = {100}}, std::vector<int>{2}, 40);
  EXPECT_EQ(out, std::vector<int>(40, 42));
  const auto notes = instruments().take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], "line " + number_of_line(barriers, "__syncthreads_count(1)")));
  EXPECT_EQ(instruments().take_notes(), std::vector<std::string>{}) << "a note is taken once";
}

TEST_P(BlockSchedulerTest, EndsEveryThreadWhereEachLeavesAfterAnotherBarrier) {
  const auto out = results<int>(barriers, "leave_one_by_one", {.block = {200}}, std::vector<int>{9}, 200);
  EXPECT_EQ(out, std::vector<int>(200, 9));
}

TEST_P(BlockSchedulerTest, StopsABlockWhoseThreadsWaitAtDifferentBarriers) {
  const device::DeviceError error = failure_of("diverge", {.block = {64}});
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_FAILED");
  EXPECT_TRUE(contains(error.explanation(), "divergent barrier"));
  EXPECT_TRUE(contains(error.explanation(), "32 in line " + number_of_line(faulty, "first")));
  EXPECT_TRUE(contains(error.explanation(), "32 in line " + number_of_line(faulty, "second")));
}

TEST_P(BlockSchedulerTest, StopsALaunchAtAnyOfItsBlocks) {
  const device::DeviceError error = failure_of("diverge_in_a_late_block", {.grid = {1000}, .block = {64}});
  EXPECT_TRUE(contains(error.explanation(), "1 in line " + number_of_line(faulty, "third")));
  EXPECT_TRUE(contains(error.explanation(), "63 in line " + number_of_line(faulty, "fourth")));
}

TEST_P(BlockSchedulerTest, FindsADeadlockBetweenABarrierAndAWarp) {
  const device::DeviceError error = failure_of("half_a_warp_at_the_barrier", {.block = {32}});
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_TIMEOUT");
  EXPECT_TRUE(contains(error.explanation(), "deadlock"));
  EXPECT_TRUE(contains(error.explanation(), "16 in line " + number_of_line(faulty, "fifth")));
  EXPECT_TRUE(contains(error.explanation(), "16 in line " + number_of_line(faulty, "sixth") +
                                                " for lanes 0 to 15 of the mask 0xffffffff"));
}

TEST_P(BlockSchedulerTest, FindsADeadlockInAWarpWhoseHalvesWaitInDifferentLines) {
  const device::DeviceError error = failure_of("shuffle_in_a_branch", {.block = {64}});
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_TIMEOUT");
  EXPECT_TRUE(contains(error.explanation(), "16 in line " + number_of_line(faulty, "seventh") +
                                                " for lanes 16 to 31 of the mask 0xffffffff"));
  EXPECT_TRUE(contains(error.explanation(), "48 in line " + number_of_line(faulty, "eighth")));
}

TEST_P(BlockSchedulerTest, StopsAtATrapAndNamesTheThread) {
  const device::DeviceError error = failure_of("give_up", {.grid = {4}, .block = {100}});
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_FAILED");
  EXPECT_TRUE(contains(error.explanation(), "__trap() was called by block 2 thread 37"));
  EXPECT_TRUE(
      contains(failure_of("give_up_in_two_dimensions", {.grid = {2, 2}, .block = {4, 4}}).explanation(),
               "thread (3, 2, 0)"));
}

TEST_P(BlockSchedulerTest, CanFailManyTimesOver) {
  for (int turn = 0; turn < 50; ++turn)
    failure_of(turn % 2 ? "diverge" : "shuffle_in_a_branch", {.block = {64}});
}

INSTANTIATE_TEST_SUITE_P(Compilers, BlockSchedulerTest, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::schedule
