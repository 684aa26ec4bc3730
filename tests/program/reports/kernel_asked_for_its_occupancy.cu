// expect: kernel twice was launched here
// never: kernel void
#include <cstdio>

template <int threads>
__global__ void __launch_bounds__(threads) twice(int* x) {
  x[1] = 2;
}

int main() {
  int *x, blocks;
  cudaMalloc(&x, sizeof(int));
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice<64>, 64, 0);
  twice<64><<<2, 64>>>(x);
  cudaDeviceSynchronize();
  printf("%d\n", blocks);
  cudaFree(x);
}
