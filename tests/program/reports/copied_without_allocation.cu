// expect: DEFECT unset-variable 'dy' was never given memory: no cudaMalloc(&dy, ...) before the launch in line 17
// never: DEFECT misaligned
// never: DEFECT wrong-direction
#include <cstdio>
#include <vector>
__global__ void add(int n, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + y[i];
}
int main() {
  int n = 1000;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx, *dy;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(n, dx, dy);
  cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", y[0]);
}
