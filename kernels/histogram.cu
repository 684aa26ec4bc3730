// output[b] = how many elements of input equal b, for b in [0, 256); output is zero before the launch

// Read, add one, write: two threads that meet at a bin both read the old count, and one update is lost.
__global__ void histogram_lost_updates(const int* input, int* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) output[input[item]] = output[input[item]] + 1;
}

// One atomic on global memory per element: nothing is lost, and all blocks queue for the same 256 counters.
__global__ void histogram_global_atomic(const int* input, int* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&output[input[item]], 1);
}

// Count in shared memory, which the block has to itself, and add its counts to the output once. But nothing
// keeps a thread from counting before another has zeroed the bin.
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

// The merge begins while other threads of the block still count: what they add afterwards is in no output.
__global__ void histogram_shared_early_merge(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}

// Merged into the bins of the block's own elements: a thread adds the count of bin `bin` to another bin, unless the
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

// Adds four elements to the counts of one lane.
__device__ void count_four(int* counts, int4 bins) {
  atomicAdd(&counts[bins.x * 32], 1);
  atomicAdd(&counts[bins.y * 32], 1);
  atomicAdd(&counts[bins.z * 32], 1);
  atomicAdd(&counts[bins.w * 32], 1);
}

// A private copy of the counts for each of the 32 lanes of a warp, with lane l in shared-memory bank l: lanes never
// wait for each other, whatever the input. Blocks stay resident and stride over the input in 16-byte loads, four
// in flight per thread. Expects an input that is aligned to 16 bytes, and blocks of whole warps.
__global__ void histogram_private_copies(const int* input, int* output, int size) {
  __shared__ int copies[256 * 32];
  for (int i = threadIdx.x; i < 256 * 32; i += blockDim.x) copies[i] = 0;
  __syncthreads();

  int* const counts = &copies[threadIdx.x % 32];
  const int4* const fours = reinterpret_cast<const int4*>(input);
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  int i = first;
  for (; i < size / 4 - 3 * stride; i += 4 * stride) {
    const int4 a = __ldcs(&fours[i]);
    const int4 b = __ldcs(&fours[i + stride]);
    const int4 c = __ldcs(&fours[i + 2 * stride]);
    const int4 d = __ldcs(&fours[i + 3 * stride]);
    count_four(counts, a);
    count_four(counts, b);
    count_four(counts, c);
    count_four(counts, d);
  }
  for (; i < size / 4; i += stride) count_four(counts, fours[i]);
  const int left = size / 4 * 4 + first;  // at most three elements do not fill a load
  if (left < size) atomicAdd(&counts[input[left] * 32], 1);
  __syncthreads();

  // Thread b starts at copy b, so that neighbours read from different banks.
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    int sum = 0;
    for (int copy = 0; copy < 32; ++copy) sum += copies[bin * 32 + (bin + copy) % 32];
    if (sum > 0) atomicAdd(&output[bin], sum);
  }
}
