// expect: unwritten-scattered
// sizes: blocks of an odd number of warps

__device__ float step_up(float x) {
  for (int step = 0; step < 64; ++step) x = 1.001f * x + 0.25f;
  return x;
}

__device__ float step_down(float x) {
  for (int step = 0; step < 64; ++step) x = 0.999f * x - 0.125f;
  return x;
}

// The number of the warp in its block is even or odd, as that in the grid.
__global__ void branch_by_warp(const float* input, float* output, int size) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int item = blockIdx.x * blockDim.x + warp / 2 * 64 + lane * 2 + warp % 2;
  if (item >= size) return;
  if (warp % 2 == 0)
    output[item] = step_up(input[item]);
  else
    output[item] = step_down(input[item]);
}
