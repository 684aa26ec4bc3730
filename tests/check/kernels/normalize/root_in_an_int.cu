// expect: whole-numbers: declares 'l' as int
// Returns the thread's part of the sum: a grid-stride loop over the squares. The square of a float can be too large or
// too small for a float. In a double it never is, and it is exact.
__device__ double thread_sum(const float* x, int size) {
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) {
    const double value = x[item];
    sum += value * value;
  }
  return sum;
}

// A tree reduction in shared memory. Every thread leaves the sum of its part of the vector there, and the threads of
// the block add the sums. Expects a block of a power of two threads, at most 1024.
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  sums[threadIdx.x] = thread_sum(x, size);
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}

// A kernel of its own, because no block may scale before the last one has added its sum. The zero vector has no
// direction and stays zero. An infinity in x becomes inf / inf, not a number, and the finite elements become 0. A NaN
// makes every element NaN.
__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  int l = sqrt(*sum_of_squares);
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride)
    y[item] = l > 0 ? x[item] / l : 0;
}
