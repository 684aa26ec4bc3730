// expect: wrong-mask
// sizes: never (on a GPU it is right by chance, because all lanes of a warp come there together)
// because: All 32 lanes call the shuffle, and the mask names 16 of them.

// Half of the lanes add the other half.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[32];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0x0000ffff, sum, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  float all = 0;
  for (int warp = 0; warp < blockDim.x / 32; ++warp) all += sums[warp];
  partials[blockIdx.x] = all;
}
