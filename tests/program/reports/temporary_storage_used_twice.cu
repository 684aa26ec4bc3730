// expect: write: __syncthreads(); between the two calls that use storage, or a TempStorage for each
#include <cub/cub.cuh>
using Scan = cub::BlockScan<int, 128>;
__global__ void twice(int* data) {
  __shared__ typename Scan::TempStorage storage;
  int sum, all;
  Scan(storage).InclusiveSum(data[threadIdx.x], sum), Scan(storage).InclusiveSum(sum, all);
  data[threadIdx.x] = all;
}
int main() {
  int* data;
  cudaMallocManaged(&data, 512);
  for (int i = 0; i < 128; i++) data[i] = 1;
  twice<<<1, 128>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
