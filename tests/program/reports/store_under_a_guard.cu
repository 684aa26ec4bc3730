// expect: stores in 'c' only if i < n, and nothing is stored there otherwise
#include <cstdio>
__global__ void sum(const float* a, float* out, int n) {
  __shared__ float c[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[threadIdx.x] = a[i];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) c[threadIdx.x] += c[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = c[0];
}
int main() {
  const int n = 1000;
  float h[n], r[8];
  for (int i = 0; i < n; i++) h[i] = 1;
  float *a, *o;
  cudaMalloc(&a, sizeof(h)); cudaMalloc(&o, sizeof(r));
  cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
  sum<<<8, 128>>>(a, o, n);
  cudaMemcpy(r, o, sizeof(r), cudaMemcpyDeviceToHost);
  printf("%f\n", r[7]);
  cudaFree(a); cudaFree(o);
}
