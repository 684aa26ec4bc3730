// expect: right
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[32];
  float v = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) v += input[item];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v += __shfl_down_sync(0xffffffff, v, 16);
  if (lane < 16) v += __shfl_down_sync(0x0000ffff, v, 8);
  if (lane < 8) v += __shfl_down_sync(0xff, v, 4);
  if (lane < 4) v += __shfl_down_sync(0xf, v, 2);
  if (lane < 2) v += __shfl_down_sync(0x3, v, 1);
  if (lane == 0) sums[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) { float s = 0; for (int i = 0; i < blockDim.x / 32; ++i) s += sums[i]; partials[blockIdx.x] = s; }
}
