// expect: no defect found in 2 launches
#include <cstdlib>
__managed__ float values[64];
__global__ void fill(float (&out)[64]) { out[threadIdx.x] = threadIdx.x; }
template <int n>
__global__ void add(const float (&in)[n], float (&out)[n]) {
  out[threadIdx.x] += in[n - 1];
}
int main() {
  fill<<<1, 64>>>(values);
  cudaDeviceSynchronize();
  add<64><<<1, 32>>>(values, values);
  cudaDeviceSynchronize();
  if (values[63] != 63 || values[31] != 94) abort();
}
