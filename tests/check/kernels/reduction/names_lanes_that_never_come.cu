// expect: deadlock: for lanes 16 to 31 of the mask 0xffffffff
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[32];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  sum += __shfl_down_sync(0xffffffff, sum, 16);
  for (int offset = 8; offset > 0; offset /= 2)
    if (lane < 16) sum += __shfl_down_sync(0xffffffff, sum, offset);  // here
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (int i = 0; i < blockDim.x / 32; ++i) sum += sums[i];
    partials[blockIdx.x] = sum;
  }
}
