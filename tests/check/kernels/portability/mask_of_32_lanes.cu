// expect: wrong-mask: the warp operation in line 8 has a mask that leaves out the lane
__global__ void sum_of_a_warp(const int* input, int* sums, int size) {
  __shared__ int warp_sums[8];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = item < size ? input[item] : 0;
  // TODO: these four lines assume that a warp has 32 lanes
  for (int offset = warpSize / 2; offset > 0; offset >>= 1)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < 8; ++warp) sum += warp_sums[warp];
  sums[blockIdx.x] = sum;
}
