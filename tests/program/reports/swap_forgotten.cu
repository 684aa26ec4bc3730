// expect: which gets an array of that size that the kernel only reads: all 10 launches in line 20 have the same two arrays
// expect: write: std::swap(u, v) after the launch in line 20
// never: in the order of
// never: DEFECT
#include <cstdio>
#include <utility>

__global__ void heat(const float *u, float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  v[i] = i == 0 || i == n - 1 ? u[i] : 0.5f * (u[i - 1] + u[i + 1]);
}

int main() {
  const int n = 256;
  float h[n] = {1}, *u, *v;
  cudaMalloc(&u, sizeof(h));
  cudaMalloc(&v, sizeof(h));
  cudaMemcpy(u, h, sizeof(h), cudaMemcpyHostToDevice);
  for (int s = 0; s < 10; ++s) heat<<<1, n>>>(u, v, n);
  cudaMemcpy(h, u, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%f %f\n", h[1], h[2]);
  cudaFree(u);
  cudaFree(v);
}
