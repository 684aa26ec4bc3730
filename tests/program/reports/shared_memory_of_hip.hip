// expect: no defect found
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(float* x) {
  __shared__ float s[13000];
  for (int i = threadIdx.x; i < 13000; i += blockDim.x) s[i] = i;
  __syncthreads();
  x[threadIdx.x] = s[12999 - threadIdx.x];
}

int main() {
  float* d;
  hipMalloc(&d, 256 * sizeof(float));
  k<<<1, 256>>>(d);
  if (hipGetLastError() != hipSuccess) printf("failed\n");
  float h[256];
  hipMemcpy(h, d, sizeof h, hipMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  hipFree(d);
}
