// expect: right: line 23 stores 8 192 times where the course's kernel stores 2 048 times
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
  for (int h = blockDim.x / 2; h > 0; h /= 2) {
    if (threadIdx.x < h) sums[threadIdx.x] += sums[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}

__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  const double scale = *sum_of_squares > 0 ? 1 / sqrt(*sum_of_squares) : 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
    for (int time = 0; time < 4; ++time) y[i] = x[i] * scale;
}
