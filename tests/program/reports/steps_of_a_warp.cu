// expect: for each step of lines 6 to 11, and after line 11
// expect: 1 defect found
#include <cstdio>

__device__ void warp_reduce(volatile float* s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

__global__ void reduce(const float* in, float* out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) warp_reduce(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
  const int n = 1024;
  float h[n];
  for (float& x : h) x = 1;
  float *in, *out;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, n / 128 * sizeof(float));
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  reduce<<<n / 128, 128>>>(in, out);
  cudaMemcpy(h, out, n / 128 * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", h[0]);
  cudaFree(in);
  cudaFree(out);
}
