// expect: DEFECT launch-failure, 3 times
// expect: the same in this line
// expect: 1 defect found
#include <cstdio>

__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

void launch(int* x, int n) { fill<<<1, n>>>(x, n); }

int main() {
  const int n = 4096;
  int* dx;
  cudaMalloc(&dx, n * sizeof(int));
  launch(dx, n);
  launch(dx, n / 2);
  for (int round = 0; round < 1; ++round) launch(dx, n);
  cudaFree(dx);
}
