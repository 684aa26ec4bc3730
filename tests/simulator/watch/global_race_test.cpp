#include "simulator/watch/checked_fixture.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string global_race_kernels = R"(__global__ void count_without_atomics(const int* in, int* out) {
  out[in[blockIdx.x * blockDim.x + threadIdx.x] % 16]++;  // plain
}

__global__ void shift_in_place(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0) out[i - 1] = out[i] + in[i];  // shift
}

__global__ void every_block_zeroes(const int* in, int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = threadIdx.x - in[threadIdx.x] + 100 * blockIdx.x;  // zero
  __syncthreads();
  atomicAdd(&out[in[threadIdx.x] % 16], 1);  // add
}

__global__ void reads_of_the_next_block(const int* in, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];  // own
  __syncthreads();
  if (blockIdx.x + 1 < gridDim.x) atomicAdd(&out[4000], out[(blockIdx.x + 1) * blockDim.x + threadIdx.x]);  // next
}

__global__ void within_a_block(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // mine
  __syncthreads();
  out[threadIdx.x + 1000] = out[(threadIdx.x + 1) % blockDim.x];  // read
  out[threadIdx.x] = 7;  // write again
}

__global__ void ticket_without_fence(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[16 + blockIdx.x] = in[blockIdx.x];  // partial
    is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) atomicAdd(&out[1], out[16 + threadIdx.x]);  // gather
}

__global__ void wrong_threads_partial(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 5) out[16 + blockIdx.x] = in[blockIdx.x];  // of five
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) atomicAdd(&out[1], out[16 + threadIdx.x]);  // of all
}

__global__ void wide_and_narrow(const int* in, int* out) {
  if (threadIdx.x == 0) reinterpret_cast<int4*>(out)[0] = make_int4(in[0], 1, 2, 3);  // wide
  if (threadIdx.x == 1) out[2] = 5;  // narrow
}

__global__ void flag_without_fence(const int* in, int* out) {
  volatile int* const flag = out;
  if (threadIdx.x == 40) {
    out[1] = in[3];  // message
    *flag = 1;
  }
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
    out[2] = out[1];  // received
  }
}

__global__ void plain_flag(const int* in, int* out) {
  if (threadIdx.x == 40) out[0] = in[1];  // plainly
  if (threadIdx.x == 0) out[1] = *static_cast<volatile int*>(out);  // flag
}

__device__ int total;
__global__ void variable_of_the_module(const int* in, int* out) {
  total = in[threadIdx.x] + total;  // total
  if (threadIdx.x == 99) out[0] = total;
}

__global__ void same_value(const int* in, int* out) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] >= 0) out[0] = 1;  // flag
}
)";

class GlobalRace : public CheckedTest {
 protected:
  void expect_race(const std::string& kernel, unsigned blocks, const char* one, const char* other) {
    for (const device::ThreadOrder& order : {forward, reverse, preempted})
      EXPECT_TRUE(has(defects(global_race_kernels, kernel, {.grid = {blocks}, .block = {64}}, order),
                      DefectKind::global_race, line_of(global_race_kernels, one),
                      line_of(global_race_kernels, other)))
          << kernel << ", order " << static_cast<int>(order.kind);
    EXPECT_EQ(error_, "");
  }
};

TEST_P(GlobalRace, IsFoundBetweenThreadsAndBlocks) {
  expect_race("count_without_atomics", 1, "plain", "plain");
  expect_race("count_without_atomics", 16, "plain", "plain");
  expect_race("shift_in_place", 1, "shift", "shift");
  expect_race("shift_in_place", 16, "shift", "shift");
  expect_race("variable_of_the_module", 1, "total", "total");
}

TEST_P(GlobalRace, IsFoundBetweenBlocksThoughEachHasABarrier) {
  expect_race("every_block_zeroes", 16, "zero", "add");
  expect_race("reads_of_the_next_block", 16, "own", "next");
}

TEST_P(GlobalRace, IsFoundAfterABarrierOfOneBlock) {
  expect_race("within_a_block", 1, "read", "write again");
}

TEST_P(GlobalRace, IsFoundWhereTheLastBlockReadsWhatWasNotPublished) {
  expect_race("ticket_without_fence", 16, "partial", "gather");
  expect_race("wrong_threads_partial", 16, "of five", "of all");
}

TEST_P(GlobalRace, IsFoundBehindAVolatileFlagWithoutAFence) {
  expect_race("flag_without_fence", 1, "message", "received");
}

TEST_P(GlobalRace, IsFoundWhereOnlyOneSideIsVolatile) {
  expect_race("plain_flag", 1, "plainly", "flag");
  for (const Defect& defect : defects(global_race_kernels, "plain_flag", {.block = {64}}))
    EXPECT_FALSE(contains(explanation_of(defect), "atomically")) << defect;
}

TEST_P(GlobalRace, IsFoundOnPartsOfAVector) {
  expect_race("wide_and_narrow", 1, "wide", "narrow");
}

TEST_P(GlobalRace, NamesBothBlocksAndTheElement) {
  const auto found = defects(global_race_kernels, "every_block_zeroes", {.grid = {2}, .block = {32}});
  ASSERT_FALSE(found.empty());
  for (const Defect& defect : found) {
    ASSERT_TRUE(defect.party.place && defect.other && defect.other->place) << defect;
    EXPECT_NE(defect.party.place->block, defect.other->place->block) << defect;
    EXPECT_EQ(defect.memory.bytes, elements * sizeof(int));
    EXPECT_LT(defect.address - defect.memory.begin, 64u);
    EXPECT_TRUE(contains(explanation_of(defect), "nothing orders two blocks of one launch"));
    EXPECT_TRUE(contains(explanation_of(defect, [](std::uintptr_t) { return "bins[3]"; }), ", bins[3], "));
  }
}

TEST_P(GlobalRace, IsANoteWhereAllWriteTheSameValue) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const Defect& defect : defects(global_race_kernels, "same_value", {.block = {64}}, order))
      EXPECT_TRUE(defect.is_note) << defect;
}

INSTANTIATE_TEST_SUITE_P(Compilers, GlobalRace, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
