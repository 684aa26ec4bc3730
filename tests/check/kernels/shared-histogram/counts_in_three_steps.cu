// expect: race-shared-update: counts[input[i]] is read in line 8 and stored in another one
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  counts[threadIdx.x] = 0;
  __syncthreads();
  if (i < size) {
    int c = counts[input[i]];
    c = c + 1;
    counts[input[i]] = c;
  }
  __syncthreads();
  atomicAdd(&output[threadIdx.x], counts[threadIdx.x]);
}
