// One thread for each element; those of the last block without an element write nothing.
__global__ void @name@(float factor, const float* X, float* Y, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) Y[item] = factor * X[item];
}
