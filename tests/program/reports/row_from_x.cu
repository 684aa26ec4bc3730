// expect: DEFECT out-of-bounds
// expect: y is the row, and x the column
// expect: write: p[y * w + x]
#include <cstdio>
#include <cstdlib>

__global__ void twice(float* p, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) p[x * w + y] *= 2;
}

int main() {
  const int w = 100, h = 50;
  float* a = (float*)malloc(w * h * sizeof(float));
  for (int i = 0; i < w * h; i++) a[i] = i;
  float* d;
  cudaMalloc(&d, w * h * sizeof(float));
  cudaMemcpy(d, a, w * h * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(16, 16);
  twice<<<dim3((w + 15) / 16, (h + 15) / 16), block>>>(d, w, h);
  cudaMemcpy(a, d, w * h * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", a[10]);
  cudaFree(d);
  free(a);
}
