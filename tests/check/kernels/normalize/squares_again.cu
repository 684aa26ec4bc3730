// expect: zero-everywhere: is not to be squared there
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const double value = x[i];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half] * sums[threadIdx.x + half];  // here
  }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}

__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  const double length = sqrt(*sum_of_squares);
  const double scale = length > 0 ? 1 / length : 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) y[i] = x[i] * scale;
}
