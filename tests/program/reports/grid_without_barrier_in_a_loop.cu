// expect: write: grid.sync(); at the end of the loop, which ends in line 16: there is none between line 14 and line 14 of the next iteration
// never: the results to another array
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;
#define CHECK(x) x
__global__ void jacobi(const float* f, float* a, float* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *in = a, *out = b;
  for (int step = 0; step < steps; ++step) {
    if (i > 0 && i < n - 1)
      out[i] = 0.5f * (in[i - 1] + in[i + 1] + f[i]);
    float* last = in; in = out; out = last;
  }
}
int main() {
  int n = 1024, steps = 10;
  float *f, *a, *b;
  CHECK(cudaMalloc(&f, n * 4)); CHECK(cudaMalloc(&a, n * 4)); CHECK(cudaMalloc(&b, n * 4));
  CHECK(cudaMemset(f, 0, n * 4)); CHECK(cudaMemset(a, 0, n * 4)); CHECK(cudaMemset(b, 0, n * 4));
  void* args[] = {&f, &a, &b, &n, &steps};
  CHECK(cudaLaunchCooperativeKernel((void*)jacobi, dim3(8), dim3(128), args, 0, 0));
  CHECK(cudaDeviceSynchronize());
  std::vector<float> h(n); CHECK(cudaMemcpy(h.data(), a, n * 4, cudaMemcpyDeviceToHost)); printf("%g\n", h[3]);
  cudaFree(f); cudaFree(a); cudaFree(b);
}
