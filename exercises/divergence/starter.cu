// output[i] = step_up(input[i]) if i is even, step_down(input[i]) if i is odd
//
//   input    the elements, read only
//   output   the elements after the steps
//   size     how many elements each of them has
//
// All lanes of a warp should take the same branch. So even warps call step_up
// and odd warps call step_down. They still need elements of that kind: two
// warps share 64 elements, and one takes the 32 even ones, the other the 32 odd
// ones. The grid has whole pairs of warps, and at least one thread for each
// element.
//
// To do: compute the element of this thread from warp and lane. One line.
// Check it: gpulab check divergence.cu

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
  // TODO: an even element if warp is even, an odd one if it is odd
  const int item = thread;
  if (item >= size) return;
  if (warp % 2 == 0)
    output[item] = step_up(input[item]);
  else
    output[item] = step_down(input[item]);
}
