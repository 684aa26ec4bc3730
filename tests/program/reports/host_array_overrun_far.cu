// expect: index 100 of a float [100]
// never: host-crash
#include <cstdio>
#include <cstdlib>

__global__ void twice(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

int main() {
  const int n = 1000;
  float h[100];
  float* r = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i) h[i] = i;
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaMemcpy(r, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f %f\n", r[1], r[n - 1]);
  cudaFree(d_in);
  cudaFree(d_out);
  free(r);
}
