// output[b] = how many elements of input equal b, for b in [0, 256); it is zero
// before the launch
//
//   input    the elements, each in [0, 256)
//   output   one count for each of the 256 bins; all blocks add to it
//   size     how many elements input has
//
// The grid has one thread for each element, in blocks of 256. A block first
// counts its elements in its own array, counts, and then adds its counts to the
// output. The loop below already sets the bins to zero. It is right for blocks
// of any size.
//
// To do: count the element of this thread, and add the counts of the block to
// the output. No thread may count before all bins are zero, or add before all
// threads have counted. About five lines.
// Check it: gpulab check shared_histogram.cu

__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  // TODO: wait, count, wait, and add counts to output
}
