// output[i] = step_up(input[i]) if i is even, step_down(input[i]) if i is odd
// by_kind[i] = step_up(input[i]) if kind[i] is 0, step_down(input[i]) if kind[i] is 1

__device__ float step_up(float x) {
  for (int step = 0; step < 64; ++step) x = 1.001f * x + 0.25f;
  return x;
}

__device__ float step_down(float x) {
  for (int step = 0; step < 64; ++step) x = 0.999f * x - 0.125f;
  return x;
}

// Divergence: neighbouring threads take different branches. A warp runs both, one after the other, with half its lanes
// idle each time.
__global__ void branch_by_lane(const float* input, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  if (item % 2 == 0)
    output[item] = step_up(input[item]);
  else
    output[item] = step_down(input[item]);
}

// The same work without divergence, because all lanes of a warp agree: two warps share 64 elements, and one takes the
// even ones, the other the odd ones.
__global__ void branch_by_warp(const float* input, float* output, int size) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int item = warp / 2 * 64 + lane * 2 + warp % 2;
  if (item >= size) return;
  if (warp % 2 == 0)
    output[item] = step_up(input[item]);
  else
    output[item] = step_down(input[item]);
}

// Every thread computes both results and then selects one, without a branch. Compilers turn short branches into the
// same: predication. No lane is idle, but half the work is for nothing.
__global__ void select_without_branch(const float* input, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  const float up = step_up(input[item]);
  const float down = step_down(input[item]);
  output[item] = item % 2 == 0 ? up : down;
}

// Divergence that depends on the data: a warp runs both branches unless all its 32 elements happen to be of one kind.
__global__ void branch_by_data(const float* input, const int* kind, float* by_kind, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  if (kind[item] == 0)
    by_kind[item] = step_up(input[item]);
  else
    by_kind[item] = step_down(input[item]);
}
