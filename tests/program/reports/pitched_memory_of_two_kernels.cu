// expect: no defect found
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
  fill<<<grid, block>>>(a, pitch, w, h);
  twice<<<grid, block>>>(a, pitch, b, w, h);
  cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
  printf("%g\n", out[w * h - 1]);
  cudaFree(a), cudaFree(b);
}
