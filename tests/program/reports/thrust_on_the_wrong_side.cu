// expect: device-pointer-on-host
// expect: thrust_on_the_wrong_side.cu:19: thrust::sort(d, d + 100);
// expect: write: thrust::device as first argument, or thrust::device_pointer_cast(d)
// expect: thrust::reduce works on the device, and v is a vector of the host
// expect: 2 defects found
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <cstdio>
#include <vector>

__global__ void fill(int* x) { x[threadIdx.x] = 100 - threadIdx.x; }

int main() {
  int* d;
  cudaMalloc(&d, 400);
  fill<<<1, 100>>>(d);
  thrust::sort(d, d + 100);
  std::vector<int> v(100, 3);
  printf("%d\n", thrust::reduce(thrust::device, v.begin(), v.end()));
  cudaFree(d);
}
