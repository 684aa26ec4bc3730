// expect: DEFECT grid-too-small
// expect: none of them reaches the columns from 96 on and the rows from 48 on
// expect: write: dim3 grid((width + 15) / 16, (height + 15) / 16)
// never: note
#include <cstdio>
__global__ void sq(float* a, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) a[y * w + x] = x + y;
}
int main() {
  const int w = 100, h = 50;
  float* d;
  float* r = new float[w * h];
  cudaMalloc(&d, w * h * sizeof(float));
  dim3 b(16, 16), g(w / 16, h / 16);
  sq<<<g, b>>>(d, w, h);
  cudaMemcpy(r, d, w * h * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", r[101]);
  cudaFree(d); delete[] r;
}
