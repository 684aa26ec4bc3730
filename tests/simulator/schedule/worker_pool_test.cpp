#include "simulator/schedule/worker_pool.hpp"

#include <sys/resource.h>

#include "simulator/schedule/fibers.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::schedule {
namespace {

// Limits the address space to what is in use and so many more bytes, as ulimit -v does.
void limit_further_memory_to(std::size_t more_bytes) {
  std::size_t pages = 0;
  std::FILE* const sizes = std::fopen("/proc/self/statm", "r");
  if (std::fscanf(sizes, "%zu", &pages) != 1) std::abort();
  std::fclose(sizes);
  const rlim_t bytes = pages * 4096 + more_bytes;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

// Expects the body to return true, in a new process, since a process cannot lift its limit.
void expect_in_new_process(const std::function<bool()>& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(body() ? 0 : 1), testing::ExitedWithCode(0), "");
  GTEST_FLAG_SET(death_test_style, "fast");
}

TEST(WorkerPool, HasNoMoreWorkersThanCpus) {
  EXPECT_GE(usable_cpus(), 1u);
  EXPECT_LE(WorkerPool().workers(), usable_cpus());
}

TEST(WorkerPool, SaysThatNoThreadCouldBeStarted) {
  expect_in_new_process([] {
    limit_further_memory_to(1 << 20);
    try {
      const WorkerPool pool;
    } catch (const device::DeviceError& error) {
      return error.name() == "CUDA_ERROR_OUT_OF_MEMORY";
    }
    return false;
  });
}

class SmallMachine : public SimulatorTest {};

TEST_P(SmallMachine, SaysThatThereIsNoMemoryForTheStacks) {
  expect_in_new_process([this] {
    // Threads meet in a branch, so they need stacks.
    const std::string text =
        "__global__ void meet(int* out) { if (threadIdx.x < 2000) __syncthreads(); out[threadIdx.x] = 1; }";
    const DeviceBuffer<int> out = buffer(std::vector<int>(1024));
    // Enough blocks for every worker to have met the module: its thread-local data needs memory, too.
    launch(text, "meet", {.grid = {4096}, .block = {32}}, out.pointer());
    limit_further_memory_to(32 << 20);
    const device::DeviceError error = failure(text, "meet", {.grid = {100}, .block = {1024}}, out.pointer());
    launch(text, "meet", {.grid = {100}, .block = {16}}, out.pointer());
    return error.name() == "CUDA_ERROR_OUT_OF_MEMORY" && contains(error.explanation(), "stacks of block") &&
           out.values()[15] == 1;
  });
}

INSTANTIATE_TEST_SUITE_P(Compilers, SmallMachine, testing::Values("g++"), name_of_compiler);

TEST(FiberStacks, AreLentAgainOnceTheyAreTakenBack) {
  FiberStacks stacks;
  stacks.reserve(2);
  void* const first = stacks.lend().sp;
  void* const second = stacks.lend().sp;
  EXPECT_NE(first, second);
  stacks.take_all_back();
  EXPECT_EQ(stacks.lend().sp, first);
  EXPECT_EQ(stacks.lend().sp, second);
  EXPECT_NE(stacks.lend().sp, second);
}

TEST(FiberStacks, HaveAllTheirBytesAboveAGuardPage) {
  FiberStacks stacks;
  char* const top = static_cast<char*>(stacks.lend().sp);
  std::memset(top - FiberStacks::usable_bytes, 1, FiberStacks::usable_bytes);
  EXPECT_EQ(top[-1], 1);
  EXPECT_DEATH(*static_cast<volatile char*>(top - FiberStacks::usable_bytes - 2 * 4096) = 1, "");
}

}  // namespace
}  // namespace gpulab::simulator::schedule
