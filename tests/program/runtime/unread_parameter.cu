#include <cstdio>

// Kernels that change a parameter: a counter that is read, and a result that nothing reads.

__global__ void count_down(int* x, int n) {
  while (n--) x[n] = n;
}
__global__ void increment(const int* x, int result) {
  result = *x + 1;  // changes a copy
}
int main(int, char** words) {
  int* x;
  int result = 0;
  cudaMalloc(&x, 4 * sizeof *x);
  count_down<<<1, 1>>>(x, 4);
  if (*words[1] == 'i') increment<<<1, 1>>>(x, result);
  cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(x);
}
