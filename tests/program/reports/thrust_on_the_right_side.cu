// expect: no defect found
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <cstdio>
#include <vector>

__global__ void twice(int* v, int* begin) { v[threadIdx.x] = 2 * begin[threadIdx.x]; }

int one() {
  std::vector<int> v(1, 1);  // no vector of the functions below
  return v[0];
}

template <typename Vector>
int sum_of_any(const Vector& v) {
  return thrust::reduce(thrust::device, v.begin(), v.end());
}

int sum_of(const thrust::device_vector<int>& v) { return thrust::reduce(thrust::device, v.begin(), v.end()); }

int main() {
  int host[4] = {4, 3, 2, 1}, *d, *managed, *pinned;
  std::vector<int> v(host, host + 4);
  cudaMalloc(&d, sizeof host);
  cudaMallocManaged(&managed, sizeof host);
  cudaMallocHost(&pinned, sizeof host);
  cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
  for (int i = 0; i < 4; ++i) managed[i] = pinned[i] = 4 - i;
  thrust::sort(host, host + 4);
  thrust::sort(managed, managed + 4);
  thrust::sort(thrust::host, pinned, pinned + 4);
  thrust::sort(thrust::device, d, d + 4);
  thrust::sort(thrust::device_pointer_cast(d), thrust::device_pointer_cast(d + 4));
  const thrust::device_ptr<int> begin(d);
  thrust::device_vector<int> copy(begin, begin + 4);
  printf("%d\n", (int)*begin);
  thrust::sort(begin, begin + 4);
  twice<<<1, 4>>>(d, d);
  printf("%d %d %d\n", thrust::reduce(begin, begin + 4), thrust::reduce(thrust::host, v.begin(), v.end()), sum_of(copy) * one() + sum_of_any(copy));
  cudaFree(d);
  cudaFree(managed);
  cudaFreeHost(pinned);
}
