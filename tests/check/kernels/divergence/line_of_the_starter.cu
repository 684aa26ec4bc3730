// expect: wrong-branch: line 16 is still the starter's
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
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int item = thread;
  if (item >= size) return;
  if (warp % 2 == 0)
    output[item] = step_up(input[item]);
  else
    output[item] = step_down(input[item]);
}
