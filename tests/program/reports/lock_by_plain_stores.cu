// expect: DEFECT race-global
// never: volatile
#include <cstdio>
__global__ void claim(int* owner, int* claims) {
  if (owner[threadIdx.x % 4] == 0) {
    owner[threadIdx.x % 4] = 1;
    atomicAdd(claims, 1);
  }
}
int main() {
  int *owner, h;
  cudaMalloc(&owner, 20);
  cudaMemset(owner, 0, 20);
  claim<<<1, 64>>>(owner, owner + 4);
  cudaMemcpy(&h, owner + 4, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(owner);
}
