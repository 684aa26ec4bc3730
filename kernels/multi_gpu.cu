// output[b] = how many elements equal b, for b in [0, 256), of size elements that several GPUs have divided among them;
// output is zero before the launch
//
// Rank r of n has the elements from size * r / n on, up to size * (r + 1) / n, both rounded down. Its input holds these
// and no others.

constexpr int bins = 256;

__device__ int first_of(int rank, int ranks, int size) {
  return static_cast<int>(static_cast<long long>(size) * rank / ranks);
}

// Counts up to blockDim.x elements, one for each thread, in the private counts of the block.
__device__ void count_in_block(const int* input, int* counts, int items) {
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < items) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
}

// Counts in the block and adds its counts to the output (privatisation).
__device__ void count(const int* input, int* output, int items) {
  __shared__ int counts[bins];
  count_in_block(input, counts, items);
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}

// Each rank counts its own elements.
__global__ void count_part(const int* input, int* output, int size, int rank, int ranks) {
  count(input, output, first_of(rank + 1, ranks, size) - first_of(rank, ranks, size));
}

// All ranks count equally many elements. Nobody counts the remainder.
__global__ void count_equal_part(const int* input, int* output, int size, int rank, int ranks) {
  count(input, output, size / ranks);
}

// The output is that of rank 0, in another GPU's memory: each atomic of the other ranks goes over the link, by peer
// access. Ranks add to the same bins at the same time, so the atomics have system scope.
__global__ void count_into_rank_0(const int* input, int* output_of_rank_0, int size, int rank, int ranks) {
  __shared__ int counts[bins];
  count_in_block(input, counts, first_of(rank + 1, ranks, size) - first_of(rank, ranks, size));
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd_system(&output_of_rank_0[bin], counts[bin]);
}

// Reduces the tables of counts, one for each rank, to one.
__global__ void add_tables(const int* tables, int* output, int ranks) {
  const int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  int sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += tables[rank * bins + bin];
  output[bin] = sum;
}

// Stores this rank's counts in another GPU's memory (peer stores): its `inbox` has a word for each rank and bin.
__global__ void send_counts(const int* output, int* peer_inbox) {
  const int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin < bins) peer_inbox[bin] = output[bin];
}

// Adds up the counts of all ranks (one-shot all-reduce), while those of the others arrive. A count is never negative:
// -1 means that it has not arrived. So each word is its own flag, and no fence is needed.
__global__ void add_arriving(const int* inbox, int* output, int rank, int ranks) {
  const int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  int sum = output[bin];
  for (int other = 0; other < ranks; ++other) {
    if (other == rank) continue;
    const volatile int* const place = &inbox[other * bins + bin];  // read anew each time
    int count = *place;
    while (count < 0) count = *place;
    sum += count;
  }
  output[bin] = sum;
}
