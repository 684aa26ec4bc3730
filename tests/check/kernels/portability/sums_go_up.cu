// expect: wrong-summand: changing '__shfl_up_sync' in line 6 makes the kernel right: lane 0 has the sum
__global__ void sum_of_a_warp(const int* input, int* sums, int size) {
  __shared__ int warp_sums[8];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = item < size ? input[item] : 0;
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_up_sync(~decltype(__activemask()){0}, sum, offset);
  if (threadIdx.x % warpSize == 0) warp_sums[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < blockDim.x / warpSize; ++warp) sum += warp_sums[warp];
  sums[blockIdx.x] = sum;
}
