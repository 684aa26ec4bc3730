// expect: DEFECT unset-variable
// expect: 'p' is used before it has a value: misaligned address
// never: DEFECT misaligned
#include <cstdio>

__global__ void set(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* p;
  *p = i;
  if (i < n) x[i] = *p;
}

int main() {
  const int n = 1000;
  int x[n];
  int* dx;
  cudaMalloc(&dx, n * sizeof(int));
  set<<<(n + 255) / 256, 256>>>(dx, n);
  cudaMemcpy(x, dx, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", x[10]);
  cudaFree(dx);
}
