// expect: note missing-braces line 9 is indented as if it belonged to the if in line 7, but only line 8 does: braces are missing
#include <cstdio>
#include <vector>
__global__ void add(int n, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = x[i];
  if (i < n)
    sum += y[i];
    y[i] = sum;
}
int main() {
  int n = 1000;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx, *dy;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(n, dx, dy);
  cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", y[0]);
}
