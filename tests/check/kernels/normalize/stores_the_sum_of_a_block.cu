// expect: race-global: = replaces what other blocks have stored
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const double value = x[i];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum_of_squares = sums[0];  // here
}

__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  double length = sqrt(*sum_of_squares);
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    y[i] = length > 0 ? x[i] / length : 0;
  }
}
