// expect: DEFECT wrong-mask
// expect: write: a mask of the lanes that exist, or blocks of a multiple of 32 threads
#include <cstdio>
__global__ void sum(const int* x, int* o, int n) {
  int v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  __shared__ int p[32];
  if (threadIdx.x % 32 == 0) p[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < (blockDim.x + 31) / 32 ? p[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) *o = v;
  }
}
int main() {
  int n = 1000, *x, *o, h;
  cudaMallocManaged(&x, n * 4); cudaMalloc(&o, 4);
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum<<<1, 100>>>(x, o, n);
  cudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(x); cudaFree(o);
}
