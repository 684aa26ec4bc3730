// expect: write: cudaMalloc(&pointer, the size that the call with nullptr has stored), which is 5 024 bytes
// never: uninitialised-copy
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>
int main() {
  int n = 1000;
  std::vector<int> h(n);
  for (int i = 0; i < n; i++) h[i] = (i * 37) % 1000;
  int *k, *ko;
  cudaMalloc(&k, n * 4);
  cudaMalloc(&ko, n * 4);
  cudaMemcpy(k, h.data(), n * 4, cudaMemcpyHostToDevice);
  size_t sz = 0;
  cub::DeviceRadixSort::SortKeys(nullptr, sz, k, ko, n);
  void* t;
  cudaMalloc(&t, sz / 2);
  cub::DeviceRadixSort::SortKeys(t, sz, k, ko, n);
  cudaMemcpy(h.data(), ko, n * 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(k);
  cudaFree(ko);
  cudaFree(t);
}
