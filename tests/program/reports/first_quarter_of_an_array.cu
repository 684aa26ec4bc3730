// never: DEFECT
// expect: 1 note found
#include <cstdio>
__global__ void fill(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() {
  const int n = 256, part = n / 4;
  float *out, host[n];
  cudaMalloc(&out, sizeof host);
  fill<<<n / 32, 32>>>(out);
  cudaMemcpy(host, out, 4 * part, cudaMemcpyDeviceToHost);
  printf("%g\n", host[part - 1]);
  cudaFree(out);
}
