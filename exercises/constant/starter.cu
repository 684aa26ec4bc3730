// C[i] = (A[i] + B[i]) * factors_constant[block of i], for i in [0, size)
//
//   factors_constant   one factor for each block; the host fills it before the
//                      launch
//   A, B               the two vectors, read only
//   C                  their sum, multiplied
//   size               how many elements each of them has
//
// Constant memory is declared outside the kernel, and the compiler must know
// its size: 16384 floats fill it. The grid has one thread for each element, in
// blocks of 1024.
//
// To do: multiply each sum by the factor of the block. One line.
// Check it: gpulab check constant.cu

__constant__ float factors_constant[16384];

__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];  // TODO: times the factor
}
