// expect: DEFECT grid-too-small
// expect: kernel sums has 12 warps for 300 elements, and none of them reaches the last 288
// expect: write: (32 * n + 127) / 128 blocks
#include <cstdio>
__global__ void sums(const float* a, float* s, int rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v = 0;
  for (int k = lane; k < n; k += 32) v += a[row * n + k];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (lane == 0) s[row] = v;
}
int main() {
  const int rows = 300, n = 40;
  float *a, *s, out[rows];
  cudaMalloc(&a, rows * n * 4), cudaMalloc(&s, rows * 4), cudaMemset(a, 0, rows * n * 4);
  sums<<<(rows + 127) / 128, 128>>>(a, s, rows, n);
  cudaMemcpy(out, s, rows * 4, cudaMemcpyDeviceToHost);
  printf("%g\n", out[rows - 1]);
  cudaFree(a), cudaFree(s);
}
