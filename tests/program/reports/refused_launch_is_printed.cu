// expect: note launch-failure the launch of k was refused
// expect: a block has at most 1024 threads, not 2048 refused_launch_is_printed.cu:12:
// expect: refused_launch_is_printed.cu: 1 note found
#include <cstdio>

__global__ void k(float* p) { p[threadIdx.x] = 1; }

int main() {
  float* p;
  cudaMalloc(&p, 8192);

  k<<<1, 2048>>>(p);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaFree(p);
}
