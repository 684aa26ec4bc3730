#include <algorithm>
#include <numeric>

#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::schedule {
namespace {

const std::string racing = R"(__global__ void count_without_atomics(const int* in, int* out) {
  out[in[blockIdx.x * blockDim.x + threadIdx.x]]++;
}

__global__ void count_in_shared_without_barrier(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  atomicAdd(&counts[in[blockIdx.x * blockDim.x + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
)";

const std::string correct = R"(__global__ void count_in_shared(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[blockIdx.x * blockDim.x + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

__global__ void sum_by_tree(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(&out[0], tile[0]);
}

__global__ void sum_by_shuffles(const int* in, int* out) {
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(&out[0], sum);
}

__global__ void sum_by_reduce(const int* in, int* out) {
  const int sum = __reduce_add_sync(0xffffffff, in[blockIdx.x * blockDim.x + threadIdx.x]);
  const bool all_here = __ballot_sync(0xffffffff, 1) == 0xffffffff;
  if (all_here && threadIdx.x % 32 == 0) atomicAdd((float*)&out[0], float(sum));
}

__global__ void transpose(const int* in, int* out) {
  __shared__ int tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * 64 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * 64 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void square_the_matrix(const int* in, int* out) {
  __shared__ int left[16][16];
  extern __shared__ int right[];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  int sum = 0;
  for (int tile = 0; tile < 64; tile += 16) {
    left[threadIdx.y][threadIdx.x] = in[y * 64 + tile + threadIdx.x];
    right[threadIdx.y * 16 + threadIdx.x] = in[(tile + threadIdx.y) * 64 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k * 16 + threadIdx.x];
    __syncthreads();
  }
  out[y * 64 + x] = sum;
}
)";

// Each counts in[i] by another atomic than atomicAdd on integers.
const std::string with_atomics = R"(__global__ void count_by_compare_and_swap(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  int* count = &counts[in[blockIdx.x * blockDim.x + threadIdx.x]];
  for (int seen = *count, before; (before = atomicCAS(count, seen, seen + 1)) != seen;) seen = before;
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

__global__ void count_in_float(const int* in, int* out) {
  __shared__ float counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[blockIdx.x * blockDim.x + threadIdx.x]], 1.0f);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], int(counts[threadIdx.x]));
}
)";

std::vector<int> numbers_below(int end, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(static_cast<int>(i * 2654435761u >> 8) % end);
  return numbers;
}

std::vector<int> counts_of(const std::vector<int>& values) {
  std::vector<int> counts(16);
  for (const int value : values) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

class PreemptiveSchedule : public SimulatorTest {
 protected:
  PreemptiveSchedule() { schedule_ = device::Schedule::preemptive; }

  // The output, zero before the launch.
  std::vector<int> run(const std::string& text, const std::string& kernel, const LaunchConfig& config,
                       const std::vector<int>& inputs, std::size_t count) {
    const DeviceBuffer<int> in = buffer(inputs), out = buffer(std::vector<int>(count));
    launch(text, kernel, config, static_cast<const int*>(in.pointer()), out.pointer());
    return out.values();
  }
};

TEST_P(PreemptiveSchedule, LosesUpdatesThatAreNotAtomic) {
  const auto in = numbers_below(16, 64 * 256);
  EXPECT_NE(run(racing, "count_without_atomics", {.grid = {64}, .block = {256}}, in, 16), counts_of(in));
  // One block has no other worker to race with: its own threads have to be interrupted.
  const std::vector<int> few(in.begin(), in.begin() + 256);
  EXPECT_NE(run(racing, "count_without_atomics", {.block = {256}}, few, 16), counts_of(few));
}

TEST_P(PreemptiveSchedule, ShowsThatABarrierIsMissing) {
  const auto in = numbers_below(16, 64 * 256);
  EXPECT_NE(run(racing, "count_in_shared_without_barrier", {.grid = {64}, .block = {256}}, in, 16),
            counts_of(in));
}

TEST_P(PreemptiveSchedule, LeavesASharedHistogramRight) {
  const auto in = numbers_below(16, 64 * 256);
  EXPECT_EQ(run(correct, "count_in_shared", {.grid = {64}, .block = {256}}, in, 16), counts_of(in));
}

TEST_P(PreemptiveSchedule, InterruptsNoAtomic) {
  const auto in = numbers_below(16, 64 * 256);
  for (const char* kernel : {"count_by_compare_and_swap", "count_in_float"})
    EXPECT_EQ(run(with_atomics, kernel, {.grid = {64}, .block = {256}}, in, 16), counts_of(in)) << kernel;
}

TEST_P(PreemptiveSchedule, LeavesReductionsRight) {
  const auto in = numbers_below(100, 64 * 256);
  const int sum = std::accumulate(in.begin(), in.end(), 0);
  const LaunchConfig config{.grid = {64}, .block = {256}};
  EXPECT_EQ(run(correct, "sum_by_tree", config, in, 1), std::vector<int>{sum});
  EXPECT_EQ(run(correct, "sum_by_shuffles", config, in, 1), std::vector<int>{sum});
  const int bits = run(correct, "sum_by_reduce", config, in, 1)[0];
  float as_float;
  __builtin_memcpy(&as_float, &bits, sizeof bits);
  EXPECT_EQ(as_float, static_cast<float>(sum));
}

TEST_P(PreemptiveSchedule, LeavesATiledTransposeRight) {
  const auto in = numbers_below(1000, 64 * 64);
  std::vector<int> expected;
  for (std::size_t i = 0; i < in.size(); ++i) expected.push_back(in[i % 64 * 64 + i / 64]);
  EXPECT_EQ(run(correct, "transpose", {.grid = {4, 4}, .block = {16, 16}}, in, in.size()), expected);
}

TEST_P(PreemptiveSchedule, LeavesATiledMatrixProductRight) {
  const auto in = numbers_below(1000, 64 * 64);
  std::vector<int> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::size_t k = 0; k < 64; ++k) expected[i] += in[i / 64 * 64 + k] * in[k * 64 + i % 64];
  const LaunchConfig config{.grid = {4, 4}, .block = {16, 16}, .dynamic_shared_bytes = 1024};
  EXPECT_EQ(run(correct, "square_the_matrix", config, in, in.size()), expected);
}

INSTANTIATE_TEST_SUITE_P(Compilers, PreemptiveSchedule, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::schedule
