#include "simulator/watch/kernel_fault.hpp"

#include "device/host.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

// Kernels that loop while out[0] is 0. It stays 0, so that they do not end by themselves.
const std::string endless = source_text("tests/simulator/watch/time_limit.cu");

class TimeLimit : public SimulatorTest {
 protected:
  TimeLimit() { ::setenv("GPULAB_TIME_LIMIT", "0.5", 1); }
  ~TimeLimit() override { ::unsetenv("GPULAB_TIME_LIMIT"); }

  // Returns the explanation for a kernel that does not end. The device must still work afterwards.
  std::string explanation_of(const std::string& kernel, const LaunchConfig& config) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(64));
    const device::DeviceError error = failure(endless, kernel, config, out.pointer());
    EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_TIMEOUT");
    EXPECT_TRUE(contains(error.explanation(), "no thread returned for 0.5 s: "));
    EXPECT_TRUE(contains(error.explanation(), "is still running"));
    EXPECT_TRUE(still_works());
    return error.explanation();
  }
};

TEST_P(TimeLimit, StopsAnEndlessLoopAndTellsTheLine) {
  const std::string explanation = explanation_of("spin", {.grid = {8}, .block = {32}});
  EXPECT_TRUE(contains(explanation, "test.cu:4, block 3 thread 17 is"));
}

// Where the thread is stopped in a function of the prelude differs from run to run.
TEST_P(TimeLimit, TellsTheLineOfTheCallInAFunctionOfThePrelude) {
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(contains(explanation_of("add_for_ever", {.block = {32}}), "test.cu:45, block 0 thread"));
  EXPECT_TRUE(contains(explanation_of("load_for_ever", {.block = {32}}), "test.cu:49, block 0 thread"));
}

TEST_P(TimeLimit, StopsAThreadThatWaitsForOneNotYetStarted) {
  EXPECT_TRUE(contains(explanation_of("wait_for_another_thread", {.block = {32}}), "block 0 thread 0 is"));
}

TEST_P(TimeLimit, StopsEveryWorkerAtOnce) {
  explanation_of("wait_behind_a_barrier", {.grid = {100}, .block = {64}});
}

TEST_P(TimeLimit, StopsALoopAroundABarrier) {
  EXPECT_TRUE(contains(explanation_of("meet_for_ever", {.block = {64}}), "block 0 thread"));
}

TEST_P(TimeLimit, StopsALoopAroundAShuffle) {
  EXPECT_TRUE(contains(explanation_of("shuffle_for_ever", {.block = {64}}), "block 0 thread"));
}

TEST_P(TimeLimit, StopsAFunctionThatIsNoexcept) {
  explanation_of("spin_behind_noexcept", {.block = {64}});
}

TEST_P(TimeLimit, StopsAPreemptiveSpin) {
  instrumentation_ = device::Instrumentation::interrupted;
  explanation_of("wait_behind_a_barrier", {.grid = {4}, .block = {64}});
}

TEST_P(TimeLimit, LeavesALongLaunchAloneWhileThreadsReturn) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  launch(endless, "take_a_tenth_of_a_second", {.block = {8}}, out.pointer());
  EXPECT_EQ(out.values()[1], 1);
}

TEST_P(TimeLimit, RefusesALimitThatIsNoNumber) {
  ::setenv("GPULAB_TIME_LIMIT", "a minute", 1);
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  EXPECT_THROW(launch(endless, "take_a_tenth_of_a_second", {}, out.pointer()), UsageError);
  for (const char* wrong : {"0", "-1", "nan", "1x"}) {
    ::setenv("GPULAB_TIME_LIMIT", wrong, 1);
    EXPECT_THROW(device::time_limit(), UsageError) << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, TimeLimit, both_compilers, name_of_compiler);

TEST(TimeLimitDefault, IsAMinute) {
  EXPECT_EQ(device::time_limit(), 60);
}

}  // namespace
}  // namespace gpulab::simulator::watch
