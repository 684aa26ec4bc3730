__global__ void loop_of_three(const float* in, float* out, int times) {
  float sum = 0;
  for (int k = 0; k < times; ++k) {
    sum += in[k * 32 + threadIdx.x];
    sum += in[k * 8 + threadIdx.x];
    out[k * 32 + threadIdx.x] = sum;
  }
  __syncthreads();
  out[threadIdx.x] = 0;
}
