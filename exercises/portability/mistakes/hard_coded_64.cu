// expect: doubled

constexpr auto all_lanes = ~decltype(__activemask()){0};

__global__ void sum_of_a_warp(const int* input, int* sums, int size) {
  __shared__ int warp_sums[8];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = item < size ? input[item] : 0;
  for (int offset = 64 / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
  if (threadIdx.x % 64 == 0) warp_sums[threadIdx.x / 64] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < blockDim.x / 64; ++warp) sum += warp_sums[warp];
  sums[blockIdx.x] = sum;
}
