// never: result-not-copied
// expect: 1 note found in 2 launches
#include <cstdio>
#include <vector>
__global__ void k(const float* in, float* tmp, float* out, int n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  tmp[r] = in[r] * 2;
  out[r] = tmp[r] / 3;
}
float* tmp = nullptr;
float run(int n) {
  std::vector<float> h(n, 3.f);
  float *in, *out;
  cudaMalloc(&in, n * 4), cudaMalloc(&out, n * 4), cudaMalloc(&tmp, n * 4);
  cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
  k<<<(n + 63) / 64, 64>>>(in, tmp, out, n);
  cudaMemcpy(h.data(), out, n * 4, cudaMemcpyDeviceToHost);
  cudaFree(in), cudaFree(out);
  return h[0];
}
int main() {
  printf("%g\n", run(200));
  printf("%g\n", run(500));
  cudaFree(tmp);
}
