#include "simulator/watch/checked_fixture.hpp"

// Updates of volatile words: a load and a store, between which another thread's store is lost.

namespace gpulab::simulator::watch {
namespace {

const std::string volatile_update_kernels = R"(__global__ void of_blocks(const int* in, int* out) {
  volatile int* const o = out;
  if (threadIdx.x == 0) o[0] = o[0] + in[1];  // update
}

__global__ void of_doubles(const int* in, int* out) {
  volatile double* const o = (volatile double*)out;
  if (threadIdx.x == 0) *o += in[1];  // of a double
}

__global__ void by_threads_of_a_block(const int* in, int* out) {
  volatile int* const o = out + blockIdx.x;
  *o = *o + in[1];  // of a block
}

__device__ void locked(const int* in, int* out, bool has_fence, bool is_of_block) {
  volatile int* const o = out;
  if (threadIdx.x != 0) return;
  while (atomicCAS(&out[1], 0, 1) != 0) {}
  if (has_fence) { if (is_of_block) __threadfence_block(); else __threadfence(); }
  o[0] = o[0] + in[1];  // locked
  if (has_fence) { if (is_of_block) __threadfence_block(); else __threadfence(); }
  atomicExch(&out[1], 0);
}
__global__ void lock_with_fences(const int* in, int* out) { locked(in, out, true, false); }
__global__ void lock_with_fences_of_a_block(const int* in, int* out) { locked(in, out, true, true); }
__global__ void lock_without_fences(const int* in, int* out) { locked(in, out, false, false); }

__global__ void takes_turns(const int* in, int* out) {
  volatile int* const turn = out + 1;
  if (threadIdx.x != 0) return;
  while (*turn != (int)blockIdx.x) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  *turn = *turn + 1;
}

__global__ void ticket_lock(const int* in, int* out) {
  volatile int* const serving = out + 2;
  if (threadIdx.x != 0) return;
  const int mine = atomicAdd(&out[1], 1);
  while (*serving != mine) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  *serving += 1;
}

__global__ void grid_barrier(const int* in, int* out) {
  volatile int* const generation = out + 1;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) {
      const int now = *generation;
      __threadfence();
      if (atomicAdd(&out[2], 1) == (int)gridDim.x - 1) {
        out[2] = 0;
        __threadfence();
        *generation = *generation + 1;
      } else {
        while (*generation == now) {}
      }
      __threadfence();
    }
    __syncthreads();
  }
}

__global__ void says_that_it_was_there(const int* in, int* out) {
  volatile int* const is_changed = out;
  if (in[threadIdx.x] % 2 == 1 && *is_changed == 0) *is_changed = 1;
}

__global__ void own_words(const int* in, int* out) {
  volatile int* const o = out;
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 3; ++i) o[item] = o[item] + in[item];
}

__global__ void stores_alone(const int* in, int* out) {
  volatile int* const o = out;
  o[0] = in[blockIdx.x];
}

__global__ void after_a_barrier(const int* in, int* out) {
  volatile int* const o = out + blockIdx.x;
  for (int turn = 0; turn < 4; ++turn) {
    if ((int)threadIdx.x == turn * 9) *o = *o + in[1];
    __syncthreads();
  }
}
)";

class VolatileUpdates : public CheckedTest {
 protected:
  std::vector<Defect> found(const std::string& kernel, const device::ThreadOrder& order) {
    return defects(volatile_update_kernels, kernel, {.grid = 4, .block = 64}, order);
  }
  static int line(const std::string& word) { return line_of(volatile_update_kernels, word); }
};

TEST_P(VolatileUpdates, AreLostWhereNothingOrdersThem) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    const auto of_blocks = found("of_blocks", order);
    EXPECT_TRUE(has(of_blocks, DefectKind::global_race, line("update"), line("update")));
    ASSERT_FALSE(of_blocks.empty());
    EXPECT_TRUE(contains(explanation_of(of_blocks[0]), "volatile makes no update atomic"));
    EXPECT_TRUE(
        has(found("of_doubles", order), DefectKind::global_race, line("of a double"), line("of a double")));
    EXPECT_TRUE(has(found("by_threads_of_a_block", order), DefectKind::global_race, line("of a block"),
                    line("of a block")));
    for (const char* lock : {"lock_without_fences", "lock_with_fences_of_a_block"})
      EXPECT_TRUE(has(found(lock, order), DefectKind::global_race, line("locked"), line("locked"))) << lock;
  }
}

TEST_P(VolatileUpdates, AreKeptByLocksTurnsAndBarriers) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const char* kernel :
         {"lock_with_fences", "takes_turns", "ticket_lock", "grid_barrier", "after_a_barrier"})
      EXPECT_TRUE(are_none(found(kernel, order))) << kernel;
}

TEST_P(VolatileUpdates, AreNoStoresOfTheSameValueNorOfOwnWordsNorOfWhatNobodyRead) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const char* kernel : {"says_that_it_was_there", "own_words", "stores_alone"})
      EXPECT_TRUE(are_none(found(kernel, order))) << kernel;
}

INSTANTIATE_TEST_SUITE_P(Compilers, VolatileUpdates, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
