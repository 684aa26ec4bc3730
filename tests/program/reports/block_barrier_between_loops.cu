// expect: write: g.sync(); in place of __syncthreads() in line 8, which orders one block
#include <cooperative_groups.h>

__global__ void reverse(float* a, float* b, int n) {
  auto g = cooperative_groups::this_grid();
  for (int i = g.thread_rank(); i < n; i += g.size()) a[i] = i;
  // All blocks have to be here.
  __syncthreads();
  for (int i = g.thread_rank(); i < n; i += g.size()) b[i] = a[n - 1 - i];
}

int main() {
  int n = 1024;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  void* arguments[] = {&a, &b, &n};
  cudaLaunchCooperativeKernel((void*)reverse, 4, 128, arguments);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
