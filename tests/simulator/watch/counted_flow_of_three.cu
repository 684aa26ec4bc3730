__global__ void loop_of_three(const float* in, float* out, int times) {
  float sum = 0;
  for (int k = 0; k < times; ++k) {
    sum += in[k * 32 + threadIdx.x];  // first load
    sum += in[k * 8 + threadIdx.x];  // second load
    out[k * 32 + threadIdx.x] = sum;  // store
  }
  __syncthreads();
  out[threadIdx.x] = 0;  // last store
}
