// expect: write: g.sync(); in place of __syncthreads() in line 13, which orders one block
// expect: write: one launch for each iteration of the loop in line 18
// never: to another array
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void jacobi(float* a, float* b, int n, int steps) {
  auto g = cg::this_grid();
  for (int k = 0; k < steps; ++k) {
    for (int i = g.thread_rank() + 1; i < n - 1; i += g.size()) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    float* t = a;
    a = b; b = t;
    __syncthreads();
  }
}
__global__ void relax(float* a, float* b, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  for (int k = 0; k < steps; ++k) {
    if (i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    float* t = a;
    a = b;
    b = t;
    __syncthreads();
  }
}

int main() {
  int n = 1000, steps = 3;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  void* arguments[] = {&a, &b, &n, &steps};
  cudaLaunchCooperativeKernel((void*)jacobi, 4, 256, arguments);
  relax<<<4, 256>>>(a, b, n, steps);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
