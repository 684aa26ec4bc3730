// sums[b] = the sum of input[i] for i in [256 b, 256 (b + 1)) and below size
//
//   input    the elements, read only
//   sums     one sum for each block
//   size     how many elements there are
//
// A block has 256 threads, and there is a block for each 256 elements. The
// kernel is right in warps of 32 lanes, as NVIDIA's GPUs have them. AMD's
// Instinct GPUs have 64 lanes in a warp.
//
// To do: make it right for warps of any size. It is checked with 32 and with 64
// lanes.
// Check it: gpulab check portability.cu

__global__ void sum_of_a_warp(const int* input, int* sums, int size) {
  __shared__ int warp_sums[8];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = item < size ? input[item] : 0;
  // TODO: these four lines assume that a warp has 32 lanes
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < 8; ++warp) sum += warp_sums[warp];
  sums[blockIdx.x] = sum;
}
