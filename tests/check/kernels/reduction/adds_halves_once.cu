// expect: skipped-elements: adds one half of 'sums' to the other once, and no loop repeats it
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = item; i < size; i += gridDim.x * blockDim.x) sum += input[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  const int half = blockDim.x / 2;
  if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // here
  __syncthreads();
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
