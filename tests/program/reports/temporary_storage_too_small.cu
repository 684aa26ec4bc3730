// expect: cub::DeviceScan::InclusiveSum writes nothing: it needs 1 024 bytes of temporary memory, and has 1
// expect: temporary_storage_too_small.cu:18
// expect: 1 defect found
// never: between the two calls
#include <cstdio>
#include <cub/cub.cuh>

int main() {
  const int n = 10000;
  int *in, *out, h;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemset(in, 0, n * sizeof(int));
  size_t bytes = 0, one = 1;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n);
  void* t;
  cudaMalloc(&t, 1);
  cub::DeviceScan::InclusiveSum(t, one, in, out, n);
  cudaMemcpy(&h, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(t);
  cudaFree(in);
  cudaFree(out);
}
