// y[i] = x[i] / |x|, where |x|^2 is the sum of x[i]^2, for i in [0, size); y is
// zero if |x| is zero
//
//   x                the vector, read only
//   sum_of_squares   one double, |x|^2: zero before the first kernel, and ready
//                    when the second begins
//   y                the vector of length 1 with the direction of x
//   size             how many elements x and y have
//
// There are two kernels, because no element can be scaled before the last one
// has been added. Both have blocks of 256 threads, and often fewer threads than
// elements: a grid-stride loop gives each thread elements one whole grid apart.
// The squares are added in double, which holds the square of any float.
//
// To do in the first: add up sums in a tree, as in the reduction. Then one
// thread of each block adds the sum of the block to the result. About five
// lines.
// To do in the second: compute the scale, and loop over the elements. About
// four lines.
// Check it: gpulab check normalize.cu

__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const double value = x[i];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  // TODO: the tree, and what the block adds to sum_of_squares
}

__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  // TODO: every element of x, divided by the length of x
}
