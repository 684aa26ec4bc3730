#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

constexpr int blocks = 8, threads = 64, size = blocks * threads;

// In each round a thread takes the value of a thread in another block.
__global__ void pass_on(int* from, int* to, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  for (int round = 0; round < rounds; ++round) {
    to[i] = from[(i + threads) % size] + 1;
    cg::sync(grid);
    int* const before = from;
    from = to;
    to = before;
  }
}

// The same without the barrier.
__global__ void pass_on_at_once(int* from, int* to, int rounds) {
  const int i = cg::this_grid().thread_rank();
  for (int round = 0; round < rounds; ++round) {
    to[i] = from[(i + threads) % size] + 1;  // races
    int* const before = from;
    from = to;
    to = before;
  }
}

// Block 0 adds up what all blocks have written, twice.
__global__ void total(int* x, int* sum) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < 2; ++round) {
    x[grid.thread_rank()] = round + 1;
    grid.sync();
    if (grid.thread_rank() == 0)
      for (int i = 0; i < size; ++i) *sum += x[i];
    grid.sync();
  }
}

__global__ void one_block_leaves(int* x) {
  if (blockIdx.x == 3) return;
  cg::this_grid().sync();  // waits
  *x = 1;
}

template <class Kernel>
cudaError_t launch(Kernel* kernel, void** arguments, int grid = blocks) {
  return cudaLaunchCooperativeKernel((void*)kernel, grid, threads, arguments);
}

int main(int, char** words) {
  const auto is = [&](const char* word) { return std::strcmp(words[1], word) == 0; };
  int *a, *b, *sum, rounds = 10, result = 0;
  cudaMalloc(&a, size * sizeof(int));
  cudaMalloc(&b, size * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(a, 0, size * sizeof(int));
  cudaMemset(b, 0, size * sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  void* passed[] = {&a, &b, &rounds};
  void* added[] = {&a, &sum};
  if (is("pass")) launch(pass_on, passed);
  if (is("race")) launch(pass_on_at_once, passed);
  if (is("total")) launch(total, added);
  if (is("leave")) launch(one_block_leaves, added);
  if (is("plainly")) pass_on<<<blocks, threads>>>(a, b, rounds);  // not cooperative
  if (is("most")) {
    int of_one = 0;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, total, threads, 0);
    const int most = properties.multiProcessorCount * of_one;
    printf("%d %s", properties.cooperativeLaunch, cudaGetErrorName(launch(one_block_leaves, added, most + 1)));
    printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
  }
  if (is("attribute")) {
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, total, a, sum);
  }
  const int* const from = is("pass") || is("race") ? a : sum;
  if (!is("most")) cudaMemcpy(&result, from, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(a);
  cudaFree(b);
  cudaFree(sum);
}
