// expect: right
__device__ int locks[256];
__global__ void histogram_shared(const int* input, int* output, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    const int bin = input[i];
    bool done = false;
    while (!done) {
      if (atomicCAS(&locks[bin], 0, 1) == 0) {
        __threadfence();
        volatile int* c = output;
        c[bin] = c[bin] + 1;
        __threadfence();
        atomicExch(&locks[bin], 0);
        done = true;
      }
    }
  }
}
