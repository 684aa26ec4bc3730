// expect: uninitialised-shared: read of shared memory that no thread of the block has written
__global__ void sum_of_a_warp(const int* input, int* sums, int size) {
  __shared__ int warp_sums[8];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = item < size ? input[item] : 0;
  // TODO: these four lines assume that a warp has 32 lanes
  for (int offset = 32; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 64 == 0) warp_sums[threadIdx.x / 64] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < 8; ++warp) sum += warp_sums[warp];  // here
  sums[blockIdx.x] = sum;
}
