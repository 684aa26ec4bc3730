// expect: wrong-values
// sizes: from about a thousand elements on
// also: input-index, skipped-elements, counted-twice, doubled, wrong-summand
// because: counts[] is indexed by the thread where it should be by the bin, and added once for each element.

// Every thread adds its count to the output.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  if (item < size) atomicAdd(&output[input[item]], counts[threadIdx.x]);
}
