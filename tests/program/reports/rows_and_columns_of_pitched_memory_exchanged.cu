// expect: DEFECT grid-too-small
// expect: kernel fill has 48 x 112 threads for 100 x 40 elements, and none of them reaches the columns from 48 on
// expect: since x comes first, and counts columns
// never: pitch-ignored
#include <cstdio>
__global__ void fill(float* a, size_t pitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) ((float*)((char*)a + y * pitch))[x] = 1;
}
__global__ void twice(const float* a, size_t pitch, float* b, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) b[y * w + x] = 2 * ((const float*)((const char*)a + y * pitch))[x];
}
int main() {
  const int w = 100, h = 40;
  static float out[w * h];
  float *a, *b;
  size_t pitch;
  cudaMallocPitch(&a, &pitch, w * 4, h), cudaMalloc(&b, sizeof out);
  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  fill<<<dim3(grid.y, grid.x), block>>>(a, pitch, w, h);
  twice<<<grid, block>>>(a, pitch, b, w, h);
  cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
  printf("%g\n", out[w * h - 1]);
  cudaFree(a), cudaFree(b);
}
