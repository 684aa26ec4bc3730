// expect: whole-numbers: line 4 declares 'sum' as int
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  int sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) {
    const double value = x[item];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}
__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) y[item] = *sum_of_squares > 0 ? x[item] / sqrt(*sum_of_squares) : 0;
}
