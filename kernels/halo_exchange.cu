// output(x, y) = the sum over i, j in [0, side) of filter(i, j) * image(x + i - side / 2, y + j - side / 2)
//
// The filter is not flipped, as in neural networks: strictly, this convolution is a correlation.
//
// Domain decomposition: several GPUs have divided the rows of the image among them. Each holds its own rows between two
// halos of side / 2 rows: above them the last rows of its upper neighbour, below them the first rows of its lower one.
// At the upper and the lower edge of the image the halo is zero.

extern __shared__ float shared[];

// Computes `count` rows of the output. `rows` points to the halo, the side / 2 rows above the first of these rows.
// Thread coarsening: a thread computes eight pixels of a column, so that a pixel in a register serves up to eight sums.
// The filter is in shared memory, its columns padded with zeros to a multiple of eight, and so is the tile of the image
// that the block needs.
__global__ void convolve(const float* rows, const float* filter, float* output, int width, int count, int side) {
  constexpr int per_thread = 8;
  const int padded_side = (side + per_thread - 1) / per_thread * per_thread;
  float* const filter_columns = shared;
  for (int i = threadIdx.y; i < side; i += blockDim.y)
    for (int j = threadIdx.x; j < padded_side; j += blockDim.x)
      filter_columns[i * padded_side + j] = j < side ? filter[j * side + i] : 0;

  float* const tile = &shared[side * padded_side];
  const int tile_width = blockDim.x + side - 1, tile_height = blockDim.y * per_thread + padded_side - 1;
  const int left = blockIdx.x * blockDim.x - side / 2, top = blockIdx.y * blockDim.y * per_thread;
  for (int y = threadIdx.y; y < tile_height; y += blockDim.y)
    for (int x = threadIdx.x; x < tile_width; x += blockDim.x) {
      const bool is_there = left + x >= 0 && left + x < width && top + y < count + side - 1;
      tile[y * tile_width + x] = is_there ? rows[(top + y) * width + left + x] : 0;
    }
  __syncthreads();

  float sums[per_thread] = {};
  for (int i = 0; i < side; ++i) {
    const float* next = &tile[threadIdx.y * per_thread * tile_width + threadIdx.x + i];
    float pixels[per_thread];  // a ring buffer: the newest pixel takes the place of the oldest
    for (int p = 0; p < per_thread - 1; ++p, next += tile_width) pixels[p] = *next;
    for (int j = 0; j < padded_side; j += per_thread) {
#pragma unroll
      for (int step = 0; step < per_thread; ++step, next += tile_width) {
        pixels[(step + per_thread - 1) % per_thread] = *next;
        for (int p = 0; p < per_thread; ++p)
          sums[p] += filter_columns[i * padded_side + j + step] * pixels[(step + p) % per_thread];
      }
    }
  }
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int p = 0; p < per_thread; ++p) {
    const int y = top + threadIdx.y * per_thread + p;
    if (x < width && y < count) output[y * width + x] = sums[p];
  }
}
