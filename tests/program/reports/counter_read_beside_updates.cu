// expect: write: the value that atomicAdd in line 5 returns
// never: volatile
#include <cstdio>
__global__ void count(int* c, int* o) {
  atomicAdd(c, 1);
  if (threadIdx.x == 0) o[blockIdx.x] = *c;
}
int main() {
  int *c, h[5];
  cudaMalloc(&c, 20);
  cudaMemset(c, 0, 20);
  count<<<4, 64>>>(c, c + 1);
  cudaMemcpy(h, c, 20, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(c);
}
