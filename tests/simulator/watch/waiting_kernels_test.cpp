#include "simulator/watch/checked_fixture.hpp"

// Threads that wait for another thread of their block, or of another block, by looking at a word.

namespace gpulab::simulator::watch {
namespace {

const std::string waiting_kernels = R"(__global__ void compare_and_swap_lock(const int* in, int* out) {
  while (atomicCAS(&out[1], 0, 1) != 0) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  atomicExch(&out[1], 0);
}

__global__ void exchange_lock(const int* in, int* out) {
  while (atomicExch(&out[1], 1) == 1) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  atomicExch(&out[1], 0);
}

__global__ void lock_in_a_branch(const int* in, int* out) {
  for (bool is_done = false; !is_done;) {
    if (atomicCAS(&out[1], 0, 1) == 0) {
      __threadfence();
      out[0] += in[1];
      __threadfence();
      atomicExch(&out[1], 0);
      is_done = true;
    }
  }
}

__global__ void ticket_lock(const int* in, int* out) {
  const int mine = atomicAdd(&out[2], 1);
  while (atomicAdd(&out[3], 0) != mine) __nanosleep(20);
  __threadfence();
  out[0] += in[1];
  __threadfence();
  atomicAdd(&out[3], 1);
}

__global__ void block_lock(const int* in, int* out) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  while (atomicCAS_block(&lock, 0, 1) != 0) {}
  __threadfence_block();
  sum += in[1];
  __threadfence_block();
  atomicExch_block(&lock, 0);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[0], sum);
}

__global__ void first_waits_for_last(const int* in, int* out) {
  __shared__ int box, is_full;
  if (threadIdx.x == 0) is_full = 0;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    box = in[blockDim.x];
    __threadfence_block();
    atomicExch(&is_full, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicOr(&is_full, 0) == 0) {}
    __threadfence_block();
    atomicAdd(&out[0], box);
  }
}

__global__ void last_waits_for_first(const int* in, int* out) {
  volatile int* const flag = out + 100 + blockIdx.x;
  int* const box = out + 200 + blockIdx.x;
  if (threadIdx.x == 0) {
    *box = in[blockDim.x];
    __threadfence();
    *flag = 1;
  }
  if (threadIdx.x == blockDim.x - 1) {
    while (*flag == 0) {}
    __threadfence();
    atomicAdd(&out[0], *box);
  }
}

__global__ void barrier_of_the_grid(const int* in, int* out) {
  int* const mine = out + 100 + blockIdx.x * blockDim.x;
  mine[threadIdx.x] = in[1];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&out[1], 1);
    while (atomicAdd(&out[1], 0) < (int)gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  const int* const next = out + 100 + (blockIdx.x + 1) % gridDim.x * blockDim.x;
  atomicAdd(&out[0], next[threadIdx.x]);
}

__global__ void look_back(const int* in, int* out) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(&out[1], 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  int before = 0;
  while (ticket > 0 && (before = atomicAdd(&out[99 + ticket], 0)) == 0) {}
  __threadfence();
  atomicExch(&out[100 + ticket], before + (int)blockDim.x);
  if (ticket == (int)gridDim.x - 1) out[0] = before + blockDim.x;
}

__global__ void looks_often_and_goes_on(const int* in, int* out) {
  for (int i = 0; i < 5000; ++i) atomicMax(&out[5], i % 7);
  for (int i = 0; i < 200; ++i)
    if (atomicAdd(&out[6], 0) != 0) break;
  atomicAdd(&out[0], in[1]);
}

__device__ int ready;
__global__ void nobody_comes(const int* in, int* out) {
  volatile int* const flag = &ready;
  if (threadIdx.x == 3) while (*flag == 0) {}  // nobody
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[1];
}

__global__ void never_unlocked(const int* in, int* out) {
  while (atomicCAS(&out[1], 0, 1) != 0) {}  // locked
  __threadfence();
  out[0] += in[1];
}

__global__ void holder_waits(const int* in, int* out) {
  while (atomicCAS(&out[1], 0, 1) != 0) {}  // spin
  __syncthreads();  // meet
  atomicExch(&out[1], 0);
}
)";

class WaitingKernels : public CheckedTest {
 protected:
  // What 4 blocks of 64 threads leave in out[0], in that order.
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

TEST_P(WaitingKernels, EndInEveryOrderIfTheirThreadsAreServed) {
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

TEST_P(WaitingKernels, ThatNobodyServesSayWhoWaitsForWhat) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    const auto found = defects(waiting_kernels, "nobody_comes", {.grid = 1, .block = 64}, order);
    EXPECT_TRUE(has(found, DefectKind::endless_wait, line_of(waiting_kernels, "nobody")));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].party.place->thread, (Extent{3, 0, 0}));
    EXPECT_TRUE(contains(error_, "CUDA_ERROR_LAUNCH_TIMEOUT"));
    EXPECT_TRUE(contains(explanation_of(found[0]),
                         "waits in line " + std::to_string(line_of(waiting_kernels, "nobody")) +
                             " for another value of byte 0 of 'ready' of 4 bytes (the word holds 0)"));
  }
  EXPECT_TRUE(has(defects(waiting_kernels, "never_unlocked", {.grid = 2, .block = 64}),
                  DefectKind::endless_wait, line_of(waiting_kernels, "locked")));
}

TEST_P(WaitingKernels, SayWhereTheThreadsAreThatWaitForThem) {
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

}  // namespace
}  // namespace gpulab::simulator::watch
