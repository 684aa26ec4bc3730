// y[i] = x[i] / |x|, where |x|^2 is the sum of x[i]^2, for i in [0, size); y is zero where |x| is
//
//   x                the vector, which is only read
//   sum_of_squares   one double, |x|^2: zero before the first kernel, and ready when the second begins
//   y                the vector of length 1 with the direction of x
//   size             how many elements x and y have
//
// Two kernels, because no element can be scaled before the last one has been added. Both are
// launched with blocks of 256 threads, and often with fewer threads than elements: the loop gives a
// thread every element that is one whole grid further. The squares are added up in double, which
// holds the square of any float.
//
// To do in the first: add up sums in a tree, as in the reduction, and let one thread of each block
// add the sum of the block to the result. About five lines.
// To do in the second: the scale, and a loop over the elements. About four lines.
// Check it: gpulab check normalize.cu

__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) {
    const double value = x[item];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  // TODO: the tree, and what the block adds to sum_of_squares
}

__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  // TODO: every element of x, divided by the length of x
}
