// expect: wrong-summand

// One factor too many in each term.
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) {
    const double value = x[item];
    sum += value * value * value;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}

__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  const double scale = *sum_of_squares > 0 ? 1 / sqrt(*sum_of_squares) : 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride)
    y[item] = scale * x[item];
}
