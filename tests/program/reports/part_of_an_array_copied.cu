// expect: note copy-size
// expect: 2 notes found
// never: DEFECT
// never: quarter
#include <cstdio>

__global__ void fill(float* x) { x[threadIdx.x] = 1; }

template <class T>
void bring(T* host, const T* device, size_t size) {
  cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost);
}

int main() {
  const int n = 64;
  const size_t all = n * sizeof(float), quarter = all / 4;
  float h[n], *x;
  cudaMalloc(&x, all);
  fill<<<1, n>>>(x);
  cudaMemcpy(h, x, 16 * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, x, quarter, cudaMemcpyDeviceToHost);
  bring(h, x, n / 4 * sizeof(float));
  printf("%g\n", h[15]);
  cudaFree(x);
}
