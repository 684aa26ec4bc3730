// expect: note repeated-work sum has no blockIdx.x, so its blocks along x all do the same, and each adds it to out
// expect: write: blockIdx.x * blockDim.x + threadIdx.x for the index
#include <cstdio>
__global__ void sum(const int* a, int* out, int n) {
  int s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += a[i];
  atomicAdd(out, s);
}
int main() {
  const int n = 1000;
  int h[n], r = 0;
  for (int i = 0; i < n; i++) h[i] = 1;
  int *a, *o;
  cudaMalloc(&a, sizeof(h)); cudaMalloc(&o, sizeof(int));
  cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaMemset(o, 0, sizeof(int));
  sum<<<4, 64>>>(a, o, n);
  cudaMemcpy(&r, o, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", r);
  cudaFree(a); cudaFree(o);
}
