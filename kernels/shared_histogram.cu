// output[b] = how many elements of input equal b, for b in [0, 256); output is zero before the launch

// A data race: read, add one, write. Two threads that meet at a bin both read the old count, and one update is lost.
__global__ void histogram_lost_updates(const int* input, int* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) output[input[item]] = output[input[item]] + 1;
}

// One atomic on global memory per element. Nothing is lost, but all blocks queue for the same 256 counters.
__global__ void histogram_global_atomic(const int* input, int* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&output[input[item]], 1);
}

// Privatisation: the block counts in shared memory, which it has to itself, and adds its counts to the output once. But
// nothing stops a thread from counting before another has zeroed the bin.
__global__ void histogram_shared_unsynchronised(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}

// The first barrier waits until all bins are zero, the second until all threads have counted.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}

// The merge begins while other threads of the block still count. What they add afterwards never reaches the output.
__global__ void histogram_shared_early_merge(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}

// The merge goes to the bins of the block's own elements: a thread adds the count of one bin to another bin, unless the
// two happen to be the same.
__global__ void histogram_wrong_merge(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    if (item < size) atomicAdd(&output[input[item]], counts[bin]);
}
