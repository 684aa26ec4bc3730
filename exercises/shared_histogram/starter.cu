// output[b] = how many elements of input equal b, for b in [0, 256); it is zero before the launch
//
//   input    the elements, each of them in [0, 256)
//   output   one count for each of the 256 bins, which all blocks add to
//   size     how many elements input has
//
// The grid has one thread for each element, in blocks of 256. A block first counts its own elements
// in counts, which is its own, and then adds its counts to the output. The bins are already set to
// zero here; that loop is right for blocks of any size.
//
// To do: count the element of this thread, and add the counts of the block to the output. Threads
// must not count before all bins are zero, nor add up before all have counted. About five lines.
// Check it: gpulab check shared_histogram.cu

__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  // TODO: wait, count, wait, and add counts to output
}
