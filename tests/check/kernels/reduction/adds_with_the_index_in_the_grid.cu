// expect: wrong-values: changing 'blockIdx.x * blockDim.x + threadIdx.x' in line 18
// Returns the thread's sum of elements that are one whole grid apart: a grid-stride loop, for any size. From here on
// every kernel begins with it. It is thread coarsening: with more elements per thread there are fewer trees.
__device__ float thread_sum(const float* input, int size) {
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  return sum;
}

// Sequential addressing: the tree the other way round. The first half of the threads adds the sums of the second half.
// The threads that work are neighbours, and so are the words they read: no bank conflicts, 1 pass for each request.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = thread_sum(input, size);
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s) sums[i] += sums[i + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
