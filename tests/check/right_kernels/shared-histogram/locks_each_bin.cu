// expect: right
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  __shared__ int locks[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) { counts[bin] = 0; locks[bin] = 0; }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    const int bin = input[i];
    bool done = false;
    while (!done) {
      if (atomicCAS(&locks[bin], 0, 1) == 0) {
        __threadfence_block();
        volatile int* c = counts;
        c[bin] = c[bin] + 1;
        __threadfence_block();
        atomicExch(&locks[bin], 0);
        done = true;
      }
    }
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) if (counts[bin]) atomicAdd(&output[bin], counts[bin]);
}
