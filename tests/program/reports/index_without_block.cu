// expect: DEFECT uninitialised-copy
// expect: scale has no blockIdx.x, so its blocks along x all do the same
// expect: write: blockIdx.x * blockDim.x + threadIdx.x
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(const float* in, float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

int main() {
  const int n = 1000;
  float* h = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) h[i] = i;
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaMemcpy(h, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 5; i++) printf("%f\n", h[i]);
  cudaFree(d_in);
  cudaFree(d_out);
  free(h);
}
