#include <sstream>

#include "simulator/watch/checked_fixture.hpp"

// The same launch is reported in the same words, however the workers are timed.

namespace gpulab::simulator::watch {
namespace {

const std::string racing_kernels = R"(__global__ void sum(const int* in, int* out) {
  out[in[threadIdx.x] % 16] += 1;
}

__global__ void neighbours(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < 4000) out[i - 1] = out[i] + in[i];
}

__global__ void three_races(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x % 64] = in[threadIdx.x];
  out[threadIdx.x] = tile[63 - threadIdx.x % 64];
  out[1000] = out[1001] + blockIdx.x;
  out[1001] = threadIdx.x;
}

__global__ void ticket_without_fence(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[1000 + blockIdx.x % 1000] = in[blockIdx.x % 1000];
    is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) atomicAdd(&out[1], out[1000 + threadIdx.x]);
}
)";

class SameReport : public CheckedTest {
 protected:
  std::string report(const char* kernel, const LaunchConfig& config, const device::ThreadOrder& order) {
    std::ostringstream text;
    for (Defect defect : defects(racing_kernels, kernel, config, order)) {
      const std::uintptr_t offset = defect.memory.begin;
      defect.address -= offset;  // arrays lie somewhere else at every run
      defect.memory.begin = 1;
      defect.address += 1;
      text << defect << "\n";
    }
    return text.str();
  }
};

TEST_P(SameReport, IsGivenOfEveryRun) {
  for (const char* kernel : {"sum", "neighbours", "three_races", "ticket_without_fence"})
    for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
      const std::string first = report(kernel, {.grid = 200, .block = 128}, order);
      EXPECT_NE(first, "") << kernel;
      for (int run = 0; run < 5; ++run)
        EXPECT_EQ(report(kernel, {.grid = 200, .block = 128}, order), first) << kernel;
    }
}

TEST_P(SameReport, IsGivenOfALaunchThatAllWorkersTryFirst) {
  const LaunchConfig large{.grid = 5000, .block = 128};
  for (const char* kernel : {"sum", "ticket_without_fence"}) {
    const std::string first = report(kernel, large, forward);
    EXPECT_NE(first, "") << kernel;
    EXPECT_EQ(report(kernel, large, forward), first) << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, SameReport, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
