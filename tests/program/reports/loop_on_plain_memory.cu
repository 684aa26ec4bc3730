// expect: the loop in line 4 does not end: nothing in it changes x[0] == 0
#include <cstdio>
__global__ void wait(int* x) {
  while (x[0] == 0) {
  }
  x[1] = 1;
}
int main() {
  int* d;
  cudaMalloc(&d, 8);
  cudaMemset(d, 0, 8);
  wait<<<1, 32>>>(d);
  int h[2];
  cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
  printf("%d\n", h[1]);
  cudaFree(d);
}
