// output[b] = how many elements of input equal b, for b in [0, 256); output is zero before the launch

constexpr int bins = 256;
constexpr int lanes = 32;      // of a warp; as many as shared memory has banks
constexpr int threads = 1024;  // of a block

// Counts a vector of four elements in the copy of one lane.
__device__ void count_vector(int* counts, int4 bin) {
  atomicAdd(&counts[bin.x * lanes], 1);
  atomicAdd(&counts[bin.y * lanes], 1);
  atomicAdd(&counts[bin.z * lanes], 1);
  atomicAdd(&counts[bin.w * lanes], 1);
}

// Privatisation for each lane: each of the 32 lanes of a warp has a copy of the counts. Copy l is in
// bank l, so there are no bank conflicts, whatever the input. Blocks are persistent: they stay resident and
// count tile after tile, in four 16-byte loads per thread. Tiles are scheduled dynamically: a block takes its
// next one from a counter in memory. So the tiles are read in order, as if each had its own block, and
// at the end no block has much more left than the others. With a fixed part for each block, fast blocks run
// ahead and memory serves many places at once, which is slower. Expects an input that is aligned to 16 bytes,
// and blocks of 1024 threads.
__global__ void __launch_bounds__(threads)
    histogram_private_copies(const int* input, int* tiles_taken, int* output, int size) {
  __shared__ __align__(16) int copies[bins * lanes];
  __shared__ int next_tile[2];  // double-buffered, so one barrier for each tile is enough
  for (int i = threadIdx.x; i < bins * lanes / 4; i += threads)
    reinterpret_cast<int4*>(copies)[i] = make_int4(0, 0, 0, 0);
  __syncthreads();

  int* const counts = &copies[threadIdx.x % lanes];
  const int4* const vectors = reinterpret_cast<const int4*>(input);
  constexpr int tile_vectors = 4 * threads;
  const int vector_count = size / 4, tiles = (vector_count + tile_vectors - 1) / tile_vectors;
  for (int tile = blockIdx.x, stage = 0; tile < tiles; stage ^= 1) {
    int taken = 0;
    if (threadIdx.x == 0) taken = atomicAdd(tiles_taken, 1);  // in flight while the tile is counted
    const int i = tile * tile_vectors + threadIdx.x;
    if ((tile + 1) * tile_vectors <= vector_count) {
      const int4 a = __ldcs(&vectors[i]);
      const int4 b = __ldcs(&vectors[i + threads]);
      const int4 c = __ldcs(&vectors[i + 2 * threads]);
      const int4 d = __ldcs(&vectors[i + 3 * threads]);
      count_vector(counts, a);
      count_vector(counts, b);
      count_vector(counts, c);
      count_vector(counts, d);
    } else {
      for (int k = i; k < vector_count; k += threads) count_vector(counts, vectors[k]);
    }
    if (threadIdx.x == 0) {
      next_tile[stage] = gridDim.x + taken;
      if (taken == tiles - 1) atomicExch(tiles_taken, 0);  // the last request of this launch
    }
    __syncthreads();
    tile = next_tile[stage];
  }
  const int leftovers = size % 4;  // at most three elements do not fill a load
  const int first = blockIdx.x * threads + threadIdx.x;
  if (first < leftovers) atomicAdd(&counts[input[size - leftovers + first] * lanes], 1);
  __syncthreads();

  // Thread b starts at copy b, which avoids bank conflicts: neighbours read from different banks.
  for (int bin = threadIdx.x; bin < bins; bin += threads) {
    int sum = 0;
    for (int copy = 0; copy < lanes; ++copy) sum += copies[bin * lanes + (bin + copy) % lanes];
    if (sum > 0) atomicAdd(&output[bin], sum);
  }
}
