// expect: DEFECT host-crash the program aborts: by abort() or assert(), by an index outside of a std::vector
#include <cstdio>
#include <vector>
__global__ void fill(float* x) {
  x[threadIdx.x] = 1;
}
int main() {
  std::vector<float> host(100);
  float* x;
  cudaMalloc(&x, 400);
  fill<<<1, 100>>>(x);
  cudaMemcpy(host.data(), x, 400, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[100]);
  cudaFree(x);
}
