// expect: time-limit: the loop in line 10 does not end within the time limit

__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) sum += input[i];
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2)
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  while (threadIdx.x == 0);
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
