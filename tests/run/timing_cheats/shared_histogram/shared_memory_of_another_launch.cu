// expect: defect: counts
// on a GPU: defect
// Adds up what an earlier launch may have left in shared memory.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
