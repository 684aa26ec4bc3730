// expect: wrong-parameters
// also: type-limit

// The sum of the squares.
__global__ void normalize_sum_shared(const float* x, float* sum_of_squares, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) {
    const float value = x[item];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}

// Divide each element by the length.
__global__ void normalize_scale(const float* x, const float* sum_of_squares, float* y, int size) {
  const float scale = *sum_of_squares == 0 ? 0 : 1 / sqrtf(*sum_of_squares);
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride)
    y[item] = x[item] * scale;
}
