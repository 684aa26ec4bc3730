// expect: right: the lanes of a warp wait for each other at one address
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const double value = x[i];
    sum += value * value;
  }
  atomicAdd(sum_of_squares, sum);
}

__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  const double scale = *sum_of_squares > 0 ? 1 / sqrt(*sum_of_squares) : 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) y[i] = x[i] * scale;
}
