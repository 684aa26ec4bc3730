// expect: the kernel's __launch_bounds__ allow 64 threads in a block, not 128
// never: 2 defects
#include <cstdio>
template <int N> __launch_bounds__(N, 2) __global__ void lb(int* p) { p[threadIdx.x] = N; }
__global__ void __launch_bounds__(256) ok(int* p) { p[threadIdx.x] = 1; }
int main() {
  int* d; cudaMalloc(&d, 128 * sizeof(int));
  lb<64><<<1, 128>>>(d);
  ok<<<1, 128>>>(d);
  lb<128><<<1, 128>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}
