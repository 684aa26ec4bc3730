// output[b] = how many elements equal b, for b in [0, 256), of size elements
// that several ranks have divided among them; output is zero before the first
// launch, and every rank adds to it
//
//   input    the elements of this rank and no others, each in [0, 256)
//   output   one count for each of the 256 bins
//   size     how many elements all ranks have together, up to 2 147 483 647
//   rank     which rank this is: 0, 1 ... ranks - 1
//   ranks    how many there are
//
// Rank r of n has the elements from size * r / n on, up to but without size *
// (r + 1) / n. Both are rounded down, so parts differ by one element at most. A
// rank is one GPU. Here one GPU does the work of all ranks: it launches this
// kernel once for each, with a thread for each element of the rank's part and
// some threads to spare.
//
// To do: say how many elements this rank has. One line, or a small function;
// mind the largest size. The counting below it is right. It is the kernel of
// the exercise on the shared histogram.
// Check it: gpulab check multi_gpu.cu

__global__ void count_part(const int* input, int* output, int size, int rank, int ranks) {
  const int items = 0;  // TODO: how many elements this rank has

  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < items) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    atomicAdd(&output[bin], counts[bin]);
}
