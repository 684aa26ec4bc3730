// expect: DEFECT unset-variable 'd_out' was never given memory
// never: DEFECT wrong-direction
// never: note unset-variable
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

int main() {
  const int n = 1000;
  float* h = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) h[i] = i;
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaMemcpy(h, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  cudaFree(d_in);
  free(h);
}
