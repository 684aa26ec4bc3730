// never: DEFECT
// expect: note uninitialised-copy
// expect: kernel sums wrote the first 4 of 128 elements; it has 128 threads, in 4 warps
#include <cstdio>
__global__ void sums(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (i % 32 == 0) out[i / 32] = v;
}
int main() {
  const int n = 128;
  float *in, *out, h[n];
  cudaMalloc(&in, sizeof h), cudaMalloc(&out, sizeof h), cudaMemset(in, 0, sizeof h);
  sums<<<n / 64, 64>>>(in, out, n);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h[0] + h[1] + h[2] + h[3]);
  cudaFree(in), cudaFree(out);
}
