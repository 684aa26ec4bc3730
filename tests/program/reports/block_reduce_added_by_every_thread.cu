// expect: DEFECT undefined-result
// expect: Kernel sum uses what another thread gets, which is undefined, and adds it in an atomic operation
// expect: write: if (threadIdx.x == 0) atomicAdd(&out[0], total)
// expect: 1 defect found
#include <cstdio>
#include <cub/cub.cuh>
__global__ void sum(const int* in, int* out, int n) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int i = blockIdx.x * 128 + threadIdx.x;
  int total = Reduce(storage).Sum(i < n ? in[i] : 0);
  atomicAdd(&out[0], total);
}
__global__ void right_sums(const int* in, int* out, int n) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ int shared;
  int i = blockIdx.x * 128 + threadIdx.x;
  int total = Reduce(storage).Sum(i < n ? in[i] : 0);
  if (threadIdx.x == 0) atomicAdd(&out[1], shared = total);
  __syncthreads();
  atomicAdd(&out[2], threadIdx.x == 0 ? total : 0);
  atomicAdd(&out[3], shared / 128);
}
int main() {
  const int n = 1024;
  int h[n], *in, *out;
  for (int i = 0; i < n; ++i) h[i] = i % 7;
  cudaMalloc(&in, n * sizeof(int)), cudaMalloc(&out, 4 * sizeof(int));
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice), cudaMemset(out, 0, 4 * sizeof(int));
  sum<<<n / 128, 128>>>(in, out, n);
  right_sums<<<n / 128, 128>>>(in, out, n);
  cudaMemcpy(h, out, 4 * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
  cudaFree(in), cudaFree(out);
}
