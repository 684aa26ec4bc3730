// expect: out-of-bounds-write, as gpulab check calls it: gpulab list --patterns has these names
// because: The threads without an element write, too: the last block stores behind the end of Y.

__global__ void @name@(float factor, const float* X, float* Y, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  Y[item] = factor * X[item];
}
