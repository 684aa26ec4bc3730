#include "simulator/compile/module.hpp"
#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::schedule {
namespace {

// Each way in which threads take turns: in a loop, in a ring, by the scheduler, and in the others until it
// takes over.
const std::string turns = R"(#define MEET_WARP __syncwarp()

__device__ int number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ void note(int* log, int what) {
  const int place = log[0];
  log[0] = place + 1;
  log[1 + place] = what;
}

__global__ void index_in_a_loop(int* out) {
  out[number()] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
}

__global__ void index_in_a_ring(int* out) {
  __syncthreads();
  out[number()] = threadIdx.x + 100 * threadIdx.y;
  __syncthreads();
  out[number()] += 10000 * threadIdx.z;
}

__global__ void order_in_a_ring(int* log) {
  note(log, number());
  __syncthreads();
  note(log, 1000 + number());
  if (number() % 3 == 1) return;
  __syncthreads();
  note(log, 2000 + number());
  if (number() == 5) return;
  __syncthreads();
  note(log, 3000 + number());
}

__global__ void order_behind_a_barrier(int* logs) {
  __syncthreads();
  note(logs + 9 * blockIdx.x, number());
}

__global__ void order_by_the_scheduler(int* log) {
  if (number() == 0) __syncwarp(1);
  note(log, number());
  __syncthreads();
  note(log, 1000 + number());
  if (number() % 3 == 1) return;
  __syncthreads();
  note(log, 2000 + number());
  if (number() == 5) return;
  __syncthreads();
  note(log, 3000 + number());
}

__global__ void order_with_a_change(int* log) {
  note(log, number());
  __syncthreads();
  note(log, 1000 + number());
  if (number() % 3 == 1) return;
  if (number() == 6) __syncwarp(1 << 6);
  __syncthreads();
  note(log, 2000 + number());
  if (number() == 5) return;
  __syncthreads();
  note(log, 3000 + number());
}

__global__ void meet_in_a_loop(int* out) {
  const int mine = number();
  if (mine >= 40) MEET_WARP;
  out[mine] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
}

__global__ void take_a_lock(int* lock) {
  while (atomicExch(&lock[0], 1) == 1);
  __threadfence();
  lock[1] = lock[1] + 1;
  __syncwarp(1u << number() % 32);
  __threadfence();
  atomicExch(&lock[0], 0);
}

__global__ void sum_with_shuffles(int* out) {
  __shared__ int sums[4];
  const int lane = threadIdx.x % 32;
  int mine = threadIdx.x;
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  if (lane == 0) sums[threadIdx.x / 32] = mine;
  const int positive = __syncthreads_count(threadIdx.x % 4 == 0);
  if (threadIdx.x == 0) out[0] = sums[0] + sums[1] + sums[2] + sums[3];
  out[1 + threadIdx.x] = positive;
}

__global__ void predicates_in_a_ring(int* out) {
  const int first = __syncthreads_count(threadIdx.x < 7);
  if (threadIdx.x == 9) __syncwarp(1 << 9);
  const int second = __syncthreads_or(threadIdx.x == 3);
  out[threadIdx.x] = 10 * first + second;
}

namespace inner {
__global__ void in_a_namespace(int* out) { out[threadIdx.x] = 5; }
}

template <int value>
__global__ void of_a_template(int* out) { out[threadIdx.x] = value; }
template __global__ void of_a_template<6>(int* out);

__global__ void overloaded(int* out) { out[threadIdx.x] = 7; }
__global__ void overloaded(float* out) { out[threadIdx.x] = 8; }

static __global__ void of_this_file_alone(int* out) { out[threadIdx.x] = 9; }
extern "C" __global__ void in_c(int* out) { out[threadIdx.x] = 10; }
)";

const std::string faulty_turns = R"(__global__ void fault_in_a_loop(int* out) {
  const int mine = out[threadIdx.x];
  if (threadIdx.y == 3 && threadIdx.z == 1) *(int*)0x10 = mine;  // line 3
}

__global__ void fault_in_a_ring(int* out) {
  __syncthreads();
  if (threadIdx.x == 1) return;
  __syncthreads();
  if (threadIdx.y == 2 && threadIdx.z == 1) *(int*)0x10 = out[0];  // line 10
}

__global__ void diverge_late(int* out) {
  for (int turn = 0; turn < 3; ++turn) __syncthreads();
  if (threadIdx.x % 2 == 0) return;
  if (threadIdx.x < 40)
    __syncthreads();  // line 17
  else
    __syncthreads();  // line 19
  out[0] = 1;
}

__global__ void stand_still(int* out) {
  __syncthreads();
  if (threadIdx.x < 16) __shfl_sync(0xffffffff, out[0], 0);  // line 25
  __syncthreads();  // line 26
}
)";

class BlockTurns : public SimulatorTest {
 protected:
  std::vector<int> values(const std::string& kernel, const LaunchConfig& config, std::size_t count) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(count));
    launch(turns, kernel, config, out.pointer());
    return out.values();
  }
  gpulab::device::DeviceError failure_of(const std::string& kernel, const LaunchConfig& config) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(1024));
    const gpulab::device::DeviceError error = failure(faulty_turns, kernel, config, out.pointer());
    EXPECT_TRUE(still_works());
    return error;
  }
};

std::vector<int> indices_of(const Extent& block) {
  std::vector<int> indices;
  for (unsigned z = 0; z < block.z; ++z)
    for (unsigned y = 0; y < block.y; ++y)
      for (unsigned x = 0; x < block.x; ++x) indices.push_back(static_cast<int>(x + 100 * y + 10000 * z));
  return indices;
}

TEST_P(BlockTurns, GiveEveryThreadItsIndexInBlocksOfAnyShape) {
  for (const Extent& block :
       {Extent{1}, Extent{33}, Extent{1000}, Extent{7, 5, 3}, Extent{1, 1, 64}, Extent{32, 32}})
    for (const char* kernel : {"index_in_a_loop", "index_in_a_ring", "meet_in_a_loop"})
      EXPECT_EQ(values(kernel, {.block = block}, block.volume()), indices_of(block))
          << kernel << " " << text_of(block);
}

TEST_P(BlockTurns, HaveTheSchedulersOrder) {
  for (const Extent& block : {Extent{20}, Extent{4, 3, 2}, Extent{64}, Extent{3}}) {
    const std::vector<int> order = values("order_by_the_scheduler", {.block = block}, 400);
    EXPECT_GT(order[0], static_cast<int>(2 * block.volume()));
    EXPECT_EQ(values("order_in_a_ring", {.block = block}, 400), order) << text_of(block);
    EXPECT_EQ(values("order_with_a_change", {.block = block}, 400), order) << text_of(block);
    EXPECT_EQ(instruments().take_notes().size(), 6u) << "lines with a barrier that some had missed";
  }
}

TEST_P(BlockTurns, BeginElsewhereBehindABarrierInBlocksSideBySide) {
  const std::vector<int> of_three_blocks = {
      8, 7, 0, 1, 2, 3, 4, 5, 6,  // the first numbers: how many there are
      8, 3, 4, 5, 6, 7, 0, 1, 2,  //
      8, 1, 2, 3, 4, 5, 6, 7, 0};
  EXPECT_EQ(values("order_behind_a_barrier", {.grid = {3}, .block = {8}}, 27), of_three_blocks);
}

TEST_P(BlockTurns, EndWhereAThreadNeedsAnotherOne) {
  EXPECT_EQ(values("take_a_lock", {.grid = {3}, .block = {64}}, 2), (std::vector<int>{0, 192}));
  std::vector<int> sums(129, 32);
  sums[0] = 127 * 64;
  EXPECT_EQ(values("sum_with_shuffles", {.block = {128}}, 129), sums);
  EXPECT_EQ(values("predicates_in_a_ring", {.block = {50}}, 50), std::vector<int>(50, 71));
}

TEST_P(BlockTurns, RunKernelsOfAnyKind) {
  EXPECT_EQ(values("in_a_namespace", {.block = {3}}, 3), std::vector<int>(3, 5));
  EXPECT_EQ(values("of_a_template<6>", {.block = {3}}, 3), std::vector<int>(3, 6));
  EXPECT_EQ(values("overloaded", {.block = {3}}, 3), std::vector<int>(3, 7));
  const DeviceBuffer<float> out = buffer(std::vector<float>(3));
  launch(turns, "overloaded", {.block = {3}}, out.pointer());
  EXPECT_EQ(out.values(), std::vector<float>(3, 8));
  EXPECT_EQ(values("of_this_file_alone", {.block = {3}}, 3), std::vector<int>(3, 9));
  EXPECT_EQ(values("in_c", {.block = {3}}, 3), std::vector<int>(3, 10));
}

// A file whose loops do not compile is compiled without them, which nobody would see.
TEST_P(BlockTurns, AreTakenInALoopByKernelsThatDoNotWait) {
  const auto has_loop = [&](const std::string& kernel) {
    const auto module =
        device().compile({"test.cu", turns}, {.instrumentation = gpulab::device::Instrumentation::none});
    return dynamic_cast<gpulab::simulator::compile::SimulatedKernel&>(*find<int*>(*module, kernel)).loop !=
           nullptr;
  };
  for (const char* kernel : {"index_in_a_loop", "meet_in_a_loop", "in_c", "of_this_file_alone"})
    EXPECT_TRUE(has_loop(kernel)) << kernel;
  for (const char* kernel : {"index_in_a_ring", "overloaded", "of_a_template<6>"})
    EXPECT_FALSE(has_loop(kernel)) << kernel;
}

TEST_P(BlockTurns, AreNotLedAstrayByMacros) {
  const std::string text =
      "__global__ void mark(int* out) { out[threadIdx.x] = 1; }\n"
      "__global__ void double_mark(int* out) { out[threadIdx.x] = 2; }\n"
      "#define if(condition) while (true)\n#define return ;\n#define void int\n";
  const DeviceBuffer<int> out = buffer(std::vector<int>(3));
  launch(text, "mark", {.block = {3}}, out.pointer());
  EXPECT_EQ(out.values(), std::vector<int>(3, 1));
  launch(text, "double_mark", {.block = {3}}, out.pointer());
  EXPECT_EQ(out.values(), std::vector<int>(3, 2));
}

TEST_P(BlockTurns, KnowTheThreadAndTheLineOfAFault) {
  gpulab::device::DeviceError error = failure_of("fault_in_a_loop", {.block = {3, 5, 2}});
  EXPECT_TRUE(contains(error.explanation(), "a null pointer, at test.cu:3, block 0 thread (0, 3, 1)"));
  error = failure_of("fault_in_a_ring", {.block = {3, 5, 2}});
  EXPECT_TRUE(contains(error.explanation(), "a null pointer, at test.cu:10, block 0 thread (0, 2, 1)"));
}

TEST_P(BlockTurns, EndAtBarriersThatDoNotFit) {
  gpulab::device::DeviceError error = failure_of("diverge_late", {.block = {100}});
  EXPECT_TRUE(contains(error.explanation(), "20 in line 17 and 30 in line 19"));
  error = failure_of("stand_still", {.block = {64}});
  EXPECT_TRUE(contains(error.explanation(), "16 in line 25 for other lanes of their warp and 48 in line 26"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, BlockTurns, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::schedule
