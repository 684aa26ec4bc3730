// never: result-not-copied
// expect: no defect found
#include <cstdio>
__global__ void twice(float* scratch, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    scratch[i] = i;
    out[i] = 2 * scratch[i];
  }
}
int main() {
  float *scratch, *out, h[100];
  cudaMalloc(&scratch, sizeof h), cudaMalloc(&out, sizeof h);
  twice<<<1, 128>>>(scratch, out, 100);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h[99]);
  cudaFree(scratch), cudaFree(out);
}
