// output[b] = how many elements of input equal b, for b in [0, 256); output is zero before the launch

constexpr int bins = 256;
constexpr int lanes = 32;      // of a warp; as many as shared memory has banks
constexpr int threads = 1024;  // of a block

// Adds four elements to the counts of one lane.
__device__ void count_four(int* counts, int4 bin) {
  atomicAdd(&counts[bin.x * lanes], 1);
  atomicAdd(&counts[bin.y * lanes], 1);
  atomicAdd(&counts[bin.z * lanes], 1);
  atomicAdd(&counts[bin.w * lanes], 1);
}

// Each of the 32 lanes of a warp has a private copy of the counts. That of lane l is in bank l, so lanes
// never wait for each other, whatever the input. Blocks stay resident and count tile after tile, in four
// 16-byte loads per thread. A block takes its next tile from a counter in memory. So the tiles are read in
// order, as if each had a block of its own, and at the end no block has much more left than the others. With
// a fixed part for each block, fast blocks run ahead and memory serves many places at once, which is slower.
// Expects an input that is aligned to 16 bytes, and blocks of 1024 threads.
__global__ void __launch_bounds__(threads)
    histogram_private_copies(const int* input, int* tiles_taken, int* output, int size) {
  __shared__ __align__(16) int copies[bins * lanes];
  __shared__ int next_tile[2];
  for (int i = threadIdx.x; i < bins * lanes / 4; i += threads)
    reinterpret_cast<int4*>(copies)[i] = make_int4(0, 0, 0, 0);
  __syncthreads();

  int* const counts = &copies[threadIdx.x % lanes];
  const int4* const fours = reinterpret_cast<const int4*>(input);
  constexpr int tile_fours = 4 * threads;
  const int count = size / 4, tiles = (count + tile_fours - 1) / tile_fours;
  for (int tile = blockIdx.x, turn = 0; tile < tiles; turn ^= 1) {
    int taken = 0;
    if (threadIdx.x == 0) taken = atomicAdd(tiles_taken, 1);  // on its way while the tile is counted
    const int i = tile * tile_fours + threadIdx.x;
    if ((tile + 1) * tile_fours <= count) {
      const int4 a = __ldcs(&fours[i]);
      const int4 b = __ldcs(&fours[i + threads]);
      const int4 c = __ldcs(&fours[i + 2 * threads]);
      const int4 d = __ldcs(&fours[i + 3 * threads]);
      count_four(counts, a);
      count_four(counts, b);
      count_four(counts, c);
      count_four(counts, d);
    } else {
      for (int k = i; k < count; k += threads) count_four(counts, fours[k]);
    }
    if (threadIdx.x == 0) {
      next_tile[turn] = gridDim.x + taken;
      if (taken == tiles - 1) atomicExch(tiles_taken, 0);  // nobody asks again before the next launch
    }
    __syncthreads();
    tile = next_tile[turn];
  }
  const int left = size % 4;  // at most three elements do not fill a load
  const int first = blockIdx.x * threads + threadIdx.x;
  if (first < left) atomicAdd(&counts[input[size - left + first] * lanes], 1);
  __syncthreads();

  // Thread b starts at copy b, so that neighbours read from different banks.
  for (int bin = threadIdx.x; bin < bins; bin += threads) {
    int sum = 0;
    for (int copy = 0; copy < lanes; ++copy) sum += copies[bin * lanes + (bin + copy) % lanes];
    if (sum > 0) atomicAdd(&output[bin], sum);
  }
}
