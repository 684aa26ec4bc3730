#include <cub/cub.cuh>
#include <cstdio>

int main() {
  constexpr int n = 100;
  int host[n], *keys[2], *values[2];
  for (int i = 0; i < n; ++i) host[i] = i * 37 % n;
  for (int i = 0; i < 2; ++i) {
    cudaMalloc(&keys[i], sizeof host);
    cudaMalloc(&values[i], sizeof host);
  }
  cudaMemcpy(keys[0], host, sizeof host, cudaMemcpyHostToDevice);
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMemcpy(values[0], host, sizeof host, cudaMemcpyHostToDevice);
  cub::DoubleBuffer<int> of_keys(keys[0], keys[1]), of_values(values[0], values[1]);
  void* temporary = nullptr;
  size_t bytes = 0;
  cub::DeviceRadixSort::SortPairs(temporary, bytes, of_keys, of_values, n);
  cudaMalloc(&temporary, bytes);
  cub::DeviceRadixSort::SortPairs(temporary, bytes, of_keys, of_values, n);
  cudaMemcpy(host, of_values.Current(), sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", host[0], host[1], host[n - 1]);
  cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, of_keys, n);
  cudaMemcpy(host, of_keys.Current(), sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[0], host[n - 1]);
  for (int* memory : {keys[0], keys[1], values[0], values[1], (int*)temporary}) cudaFree(memory);
}
