// partials[b] = the sum of the elements of input that block b reads
//
//   input      the elements to add up
//   partials   one sum for each block
//   size       how many elements input has
//
// Every thread adds up some elements by itself and leaves its sum in sums, one
// place for each thread. Blocks have 256 threads. So far thread 0 stores only
// its own sum. The kernel is launched again over the partials, until one is
// left.
//
// To do: add up sums, so that sums[0] is the sum of the whole block. In each
// step the first half of the threads adds the sums of the second half, and only
// the first half goes on: 256 sums become 128, 64, 32 ... 1. About four lines.
// Check it: gpulab check reduction.cu

__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
    sum += input[i];
  sums[threadIdx.x] = sum;
  // TODO: the tree
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
