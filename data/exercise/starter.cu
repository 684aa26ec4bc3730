// Y[i] = factor * X[i], for i in [0, size)
//
//   factor   a number
//   X        a vector, read only
//   Y        the result, element by element
//   size     how many elements each of them has
//
// The grid has one thread for each element, in blocks of 256 threads. The last block may have
// threads without an element.
//
// Check it: gpulab check @name@.cu

__global__ void @name@(float factor, const float* X, float* Y, int size) {
  // TODO: multiply the element of this thread, if there is one
}
