// expect: type-limit: a float does not hold that
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) {
    const double value = x[item];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  for (int h = blockDim.x / 2; h > 0; h /= 2) { __syncthreads(); if (threadIdx.x < h) sums[threadIdx.x] += sums[threadIdx.x + h]; }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}
__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  const float s = *sum_of_squares > 0 ? (float)(1 / sqrt(*sum_of_squares)) : 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) y[i] = x[i] * s;
}
