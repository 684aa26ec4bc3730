// expect: race-global
// expect: uninitialised-global
// expect: write: grid.sync(); between line 10 and line 11
// never: cudaMemset before the launch
#include <cooperative_groups.h>

__global__ void reverse(int* a, int* b, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = grid.thread_rank();
  a[i] = i;
  b[i] = a[n - 1 - i];
}

int main() {
  int *a, *b, n = 1024;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  void* arguments[] = {&a, &b, &n};
  cudaLaunchCooperativeKernel((void*)reverse, 8, 128, arguments, 0, 0);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
