// expect: h has no value, and cudaMemcpy is given it as its destination
// expect: the host follows a pointer that is no address: it has no value, or was overwritten
// never: null pointer
#include <cstdio>
int main() {
  float *d, *h;
  cudaMalloc(&d, 400);
  cudaMemset(d, 0, 400);
  cudaMemcpy(h, d, 400, cudaMemcpyDeviceToHost);
  printf("%g", h[0]);
  cudaFree(d);
}
