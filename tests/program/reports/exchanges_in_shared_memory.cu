// expect: write: __syncthreads(); at the end of the loop, which ends in line 17
#include <cstdio>

__global__ void sort(int *g, int n) {
  __shared__ int a[8];
  a[threadIdx.x] = g[threadIdx.x];
  a[threadIdx.x + 4] = g[threadIdx.x + 4];
  __syncthreads();
  int i = 2 * threadIdx.x;
  for (int p = 0; p < n; ++p) {
    int l = i + p % 2;
    if (l + 1 < n && a[l] > a[l + 1]) {
      int t = a[l];
      a[l] = a[l + 1];
      a[l + 1] = t;
    }
  }
  g[threadIdx.x] = a[threadIdx.x];
  g[threadIdx.x + 4] = a[threadIdx.x + 4];
}

int main() {
  const int n = 8;
  int h[n] = {5, 3, 7, 1, 8, 2, 6, 4}, *d;
  cudaMalloc(&d, sizeof(h));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  sort<<<1, n / 2>>>(d, n);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) printf("%d ", h[i]);
  printf("\n");
  cudaFree(d);
}
