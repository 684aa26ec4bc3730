// never: result-not-copied
// expect: no defect found
#include <curand_kernel.h>
#include <cstdio>
__global__ void setup(curandState* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) curand_init(1234, i, 0, &s[i]);
}
__global__ void gen(curandState* s, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    curandState t = s[i];
    out[i] = curand_uniform(&t);
    s[i] = t;
  }
}
int main() {
  const int n = 256;
  curandState* s;
  float* d;
  cudaMalloc(&s, n * sizeof(*s));
  cudaMalloc(&d, n * 4);
  setup<<<1, 256>>>(s, n);
  gen<<<1, 256>>>(s, d, n);
  float h[n];
  cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0] > 0);
  cudaFree(s);
  cudaFree(d);
}
