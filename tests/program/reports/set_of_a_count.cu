// expect: write: cudaMemset takes bytes: count * sizeof(element), which is 32
// never: in the launch
#include <cstdio>

constexpr int rounds = 4;

__global__ void count(const int* x, int n, unsigned long long* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, (unsigned long long)x[i]);
}

int main() {
  const int n = 1000;
  int x[n] = {}, *dx;
  unsigned long long sums[rounds], *d;
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&d, rounds * sizeof *d);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemset(d, 0, rounds);
  for (int r = 0; r < rounds; ++r) count<<<(n + 255) / 256, 256>>>(dx, n, d + r);
  cudaMemcpy(sums, d, rounds * sizeof *d, cudaMemcpyDeviceToHost);
  printf("%llu\n", sums[3]);
  cudaFree(dx);
  cudaFree(d);
}
