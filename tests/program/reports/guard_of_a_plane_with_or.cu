// expect: write: if (x < w && y < h)
// never: race-global
#include <cstdio>
__global__ void sq(float* a, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w || y < h) a[y * w + x] = x + y;
}
int main() {
  const int w = 100, h = 50;
  float* d;
  float* r = new float[w * h];
  cudaMalloc(&d, w * h * sizeof(float));
  dim3 b(16, 16), g((w + 15) / 16, (h + 15) / 16);
  sq<<<g, b>>>(d, w, h);
  cudaMemcpy(r, d, w * h * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", r[101]);
  cudaFree(d); delete[] r;
}
