// expect: and its source is the 8 bytes that cudaMallocHost gave
// expect: swap the pointers
// expect: 1 defect found
#include <cstdio>

__global__ void one(unsigned long long* sum) { *sum = 1; }

int main() {
  unsigned long long *sum, *d;
  cudaMallocHost(&sum, sizeof *sum);
  cudaMalloc(&d, sizeof *d);
  one<<<1, 1>>>(d);
  *sum = 0;
  cudaMemcpyAsync(d, sum, sizeof *d, cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  printf("%llu\n", *sum);
  cudaFreeHost(sum);
  cudaFree(d);
}
