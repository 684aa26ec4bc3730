// expect: pass
// because: The bits of thread say the same: & ~63 is the pair of warps, 2 * lane the place, and warp & 1 the kind.
__device__ float step_up(float x) {
  for (int step = 0; step < 64; ++step) x = 1.001f * x + 0.25f;
  return x;
}

__device__ float step_down(float x) {
  for (int step = 0; step < 64; ++step) x = 0.999f * x - 0.125f;
  return x;
}

__global__ void branch_by_warp(const float* input, float* output, int size) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = thread & 31;
  const int warp = thread >> 5;
  const int item = (thread & ~63) | (lane << 1) | (warp & 1);
  if (item < size && (warp & 1) == 1) output[item] = step_down(input[item]);
  if (item < size && (warp & 1) == 0) output[item] = step_up(input[item]);
}
