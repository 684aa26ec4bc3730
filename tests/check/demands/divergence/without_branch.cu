// expect: right
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
  if (thread >= size) return;
  const float x = input[thread];
  const float up = step_up(x), down = step_down(x);
  output[thread] = thread % 2 ? down : up;
}
