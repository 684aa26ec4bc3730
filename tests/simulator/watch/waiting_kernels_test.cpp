#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

// Threads that wait for another thread of their block, or of another block, by polling a word.

namespace gpulab::simulator::watch {
namespace {

const std::string waiting_kernels = source_text("tests/simulator/watch/waiting_kernels.cu");

class WaitingKernels : public CheckedTest {
 protected:
  // Returns out[0] after 4 blocks of 64 threads ran in this order.
  int first_result(const std::string& kernel, const device::ThreadOrder& order) {
    std::vector<int> numbers(elements, 1);
    const DeviceBuffer<int> in = buffer(numbers), out = buffer(std::vector<int>(elements));
    EXPECT_TRUE(are_none(defects_of(waiting_kernels, kernel, {.grid = 4, .block = 64}, order,
                                    static_cast<const int*>(in.pointer()), out.pointer())))
        << kernel;
    EXPECT_EQ(error_, "") << kernel;
    return out.values().front();
  }
};

TEST_P(WaitingKernels, EndInEveryOrderIfTheWordIsWritten) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    for (const char* lock : {"compare_and_swap_lock", "exchange_lock", "lock_in_a_branch", "ticket_lock",
                             "block_lock", "barrier_of_the_grid", "look_back", "looks_often_and_goes_on"})
      EXPECT_EQ(first_result(lock, order), 256) << lock;
    for (const char* message : {"first_waits_for_last", "last_waits_for_first"})
      EXPECT_EQ(first_result(message, order), 4) << message;
  }
}

TEST_P(WaitingKernels, EndWhenTheyAreNotCheckedToo) {
  for (const auto instrumentation : {device::Instrumentation::none, device::Instrumentation::interrupted,
                                     device::Instrumentation::counted}) {
    instrumentation_ = instrumentation;
    for (const char* kernel : {"compare_and_swap_lock", "exchange_lock", "ticket_lock", "block_lock"})
      EXPECT_EQ(first_result(kernel, forward), 256) << kernel;
    EXPECT_EQ(first_result("first_waits_for_last", forward), 4);
  }
}

TEST_P(WaitingKernels, SayWhichThreadWaitsForWhatIfNobodyComes) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    const auto found = defects(waiting_kernels, "nobody_comes", {.grid = 1, .block = 64}, order);
    EXPECT_TRUE(has(found, DefectKind::endless_wait, line_of(waiting_kernels, "nobody")));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].party.place->thread, (Extent{3, 0, 0}));
    EXPECT_TRUE(contains(error_, "CUDA_ERROR_LAUNCH_TIMEOUT"));
    EXPECT_TRUE(contains(explanation_of(found[0]), "waits in line " +
                                                       std::to_string(line_of(waiting_kernels, "nobody")) +
                                                       " until 'ready' changes (the word holds 0)"));
  }
  EXPECT_TRUE(has(defects(waiting_kernels, "never_unlocked", {.grid = 2, .block = 64}),
                  DefectKind::endless_wait, line_of(waiting_kernels, "locked")));
}

TEST_P(WaitingKernels, SayWhereTheLockHolderWaits) {
  EXPECT_TRUE(has(defects(waiting_kernels, "holder_waits", {.grid = 1, .block = 64}),
                  DefectKind::endless_wait, line_of(waiting_kernels, "spin"),
                  line_of(waiting_kernels, "meet")));
}

TEST_P(WaitingKernels, MayNotWaitForBlocksThatCannotBegin) {
  const auto found = defects(waiting_kernels, "barrier_of_the_grid", {.grid = 1000, .block = 1});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, DefectKind::endless_wait);
  EXPECT_TRUE(contains(explanation_of(found[0]), "of 1000 blocks have begun"));
  EXPECT_TRUE(still_works());
}

INSTANTIATE_TEST_SUITE_P(Compilers, WaitingKernels, both_compilers, name_of_compiler);

const std::string stopped_kernels = source_text("tests/simulator/watch/stopped_kernels.cu");

class StoppedKernels : public CheckedTest {};

TEST_P(StoppedKernels, AreThoseThatDivideAnIntegerByZero) {
  const auto found = defects(stopped_kernels, "divide", {.grid = 1, .block = 32});
  EXPECT_TRUE(has(found, DefectKind::division_by_zero, line_of(stopped_kernels, "quotient")));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].ends_launch);
  EXPECT_EQ(found[0].party.place->thread, (Extent{17, 0, 0}));
  EXPECT_TRUE(contains(explanation_of(found[0]), "a value that is not defined"));
  EXPECT_TRUE(contains(error_, "division by zero"));
}

TEST_P(StoppedKernels, DivideByAZeroThatTheCompilerKnowsToo) {
  EXPECT_TRUE(has(defects(stopped_kernels, "divide_by_nothing_else", {.grid = 1, .block = 32}),
                  DefectKind::division_by_zero, line_of(stopped_kernels, "folded")));
  EXPECT_TRUE(has(defects(stopped_kernels, "rest", {.grid = 1, .block = 32}), DefectKind::division_by_zero,
                  line_of(stopped_kernels, "rest")));
}

TEST_P(StoppedKernels, AreNotThoseThatDivideFloats) {
  EXPECT_TRUE(are_none(defects(stopped_kernels, "divide_floats", {.grid = 1, .block = 32})));
  EXPECT_EQ(error_, "");
}

TEST_P(StoppedKernels, AreThoseThatPrintWithoutEnd) {
  instruments().take_output();
  const auto found = defects(stopped_kernels, "print_for_ever", {.grid = 1, .block = 32});
  const std::size_t bytes = instruments().take_output().size();
  EXPECT_TRUE(has(found, DefectKind::too_much_output, line_of(stopped_kernels, "for ever")));
  EXPECT_GT(bytes, (1u << 20) - 100);
  EXPECT_LE(bytes, 1u << 20);
}

TEST_P(StoppedKernels, AreNotThoseThatPrintMoreThanAGpuKeeps) {
  instruments().take_output();
  EXPECT_TRUE(are_none(defects(stopped_kernels, "print_once", {.grid = 1200, .block = 100})));
  EXPECT_LE(instruments().take_output().size(), 1u << 20);
}

TEST_P(StoppedKernels, AreNotThoseThatPrintALineInEveryThread) {
  instruments().take_output();
  EXPECT_TRUE(are_none(defects(stopped_kernels, "print_once", {.grid = 40, .block = 100})));
  EXPECT_GT(instruments().take_output().size(), 40'000u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, StoppedKernels, both_compilers, name_of_compiler);

const std::string barrier_defects = source_text("tests/simulator/watch/barrier_defects.cu");

class BarrierDefects : public CheckedTest {};

TEST_P(BarrierDefects, AreBarriersInTwoBranches) {
  for (const device::ThreadOrder& order : {forward, reverse}) {
    const auto found = defects(barrier_defects, "diverge", {.grid = {2}, .block = {64}}, order);
    EXPECT_TRUE(has(found, DefectKind::divergent_barrier, line_of(barrier_defects, "first"),
                    line_of(barrier_defects, "second")));
    EXPECT_TRUE(contains(error_, "divergent barrier"));
    EXPECT_TRUE(
        contains(found.at(0).detail, "32 in line " + std::to_string(line_of(barrier_defects, "first"))));
  }
}

TEST_P(BarrierDefects, AreTwoBarriersOfOneLine) {
  const int line = line_of(barrier_defects, "one line");
  const auto found = defects(barrier_defects, "diverge_in_a_line", {.block = {64}});
  EXPECT_TRUE(has(found, DefectKind::divergent_barrier, line, line));
  EXPECT_TRUE(contains(found.at(0).detail, "column"));
}

TEST_P(BarrierDefects, AreThreadsThatReturnBeforeABarrier) {
  const auto found = defects(barrier_defects, "return_early", {.grid = {3}, .block = {64}});
  ASSERT_EQ(found.size(), 1u) << are_none(found).message();
  EXPECT_EQ(found[0].kind, DefectKind::missed_barrier);
  EXPECT_EQ(found[0].party.line, line_of(barrier_defects, "missed"));
  EXPECT_EQ(found[0].count, 3u);
  ASSERT_TRUE(found[0].other && found[0].other->place);
  EXPECT_EQ(found[0].other->place->thread.x, 40u);
  EXPECT_EQ(error_, "");
}

TEST_P(BarrierDefects, AreDeadlocks) {
  const auto found = defects(barrier_defects, "half_a_warp", {.block = {32}});
  EXPECT_TRUE(has(found, DefectKind::deadlock, line_of(barrier_defects, "third"),
                  line_of(barrier_defects, "fourth")));
  EXPECT_TRUE(contains(error_, "deadlock"));
}

TEST_P(BarrierDefects, AreMasksThatLeaveOutTheirOwnLane) {
  const auto found = defects(barrier_defects, "without_itself", {.block = {32}});
  EXPECT_TRUE(has(found, DefectKind::wrong_mask, line_of(barrier_defects, "mask")));
  EXPECT_TRUE(contains(error_, "leaves out the lane"));
}

TEST_P(BarrierDefects, MayBeLanesThatReadFromALaneThatHasReturned) {
  const auto found = defects(barrier_defects, "reads_from_a_lane_that_returned", {.block = {32}});
  ASSERT_EQ(found.size(), 1u) << are_none(found).message();
  EXPECT_EQ(found[0].kind, DefectKind::wrong_mask);
  EXPECT_TRUE(found[0].is_note) << "its value may be of no use";
  EXPECT_EQ(found[0].detail,
            "lane 20, which never comes to that line (lanes 20 to 31 of the mask 0xffffffff have ended)");
}

TEST_P(BarrierDefects, MayBeLanesOfAMaskThatEndOrVoteElsewhere) {
  const auto ended = defects(barrier_defects, "votes_without_lanes_that_returned", {.block = {32}});
  ASSERT_EQ(ended.size(), 3u) << are_none(ended).message();
  EXPECT_EQ(ended[0].kind, DefectKind::absent_lanes);
  EXPECT_TRUE(ended[0].is_note) << "only the text tells a return from a branch";
  const auto elsewhere = defects(barrier_defects, "votes_where_others_shuffle", {.block = {32}});
  ASSERT_TRUE(has(elsewhere, DefectKind::absent_lanes, line_of(barrier_defects, "shuffles"),
                  line_of(barrier_defects, "votes")));
  EXPECT_FALSE(elsewhere[0].is_note);
  EXPECT_EQ(elsewhere[0].detail, "lanes 16 to 31 of the mask 0xffffffff");
}

INSTANTIATE_TEST_SUITE_P(Compilers, BarrierDefects, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
