// expect: DEFECT uninitialised-global
// expect: copied here from memory that nobody has written
#include <cstdio>

__global__ void twice(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  const int n = 1000;
  int* x = new int[n];
  int* dx;
  cudaMalloc(&dx, n * sizeof(int));
  cudaMemcpy(dx, x, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; ++i) x[i] = i;
  twice<<<(n + 255) / 256, 256>>>(dx, n);
  cudaMemcpy(x, dx, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", x[10]);
  cudaFree(dx);
  delete[] x;
}
