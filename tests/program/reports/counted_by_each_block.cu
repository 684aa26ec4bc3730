// never: repeated-work
// expect: no defect found
#include <cstdio>
__global__ void count(const int* a, int* blocks, int n) {
  if (threadIdx.x < n && a[threadIdx.x] > 0) atomicAdd(blocks, 1);
}
__global__ void take(const int* a, int* next, int* out, int n) {
  for (int i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1)) atomicAdd(out, a[i]);
}
int main() {
  int h[64], r[3] = {}, *a, *o;
  for (int i = 0; i < 64; i++) h[i] = 1;
  cudaMalloc(&a, sizeof(h));
  cudaMalloc(&o, sizeof(r));
  cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaMemset(o, 0, sizeof(r));
  count<<<4, 64>>>(a, o, 64);
  take<<<4, 32>>>(a, o + 1, o + 2, 64);
  cudaMemcpy(r, o, sizeof(r), cudaMemcpyDeviceToHost);
  printf("%d %d\n", r[0], r[2]);
  cudaFree(a);
  cudaFree(o);
}
