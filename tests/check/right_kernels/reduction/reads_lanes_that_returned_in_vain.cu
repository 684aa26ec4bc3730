// expect: right
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float s[1024];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) v += input[i];
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x >= 16) return;
  v = 0;
  for (int i = threadIdx.x; i < blockDim.x; i += 16) v += s[i];
  for (int o = 8; o; o >>= 1) { float w = __shfl_down_sync(0xffffffff, v, o); if (threadIdx.x < o) v += w; }
  if (threadIdx.x == 0) partials[blockIdx.x] = v;
}
