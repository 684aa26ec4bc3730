// output(x, y) = the sum over i, j of
//   filter(i, j) * image(x + filter_width / 2 - i, y + filter_height / 2 - j)
//
// The filter is flipped: this is a convolution, not a correlation. Its sides are odd. `border` says what lies
// beyond the image: 0, zeros; 1, the pixels of its edges (clamp); 2, its mirror image, repeated as far as the
// filter reaches.

// Maps an index that may be outside to the pixel to read, in a row or column of `size` pixels. -1 means zero: no
// pixel.
__device__ int border_index(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == 0) return -1;
  if (border == 1) return index < 0 ? 0 : size - 1;
  const int period = 2 * size;
  const int position = (index % period + period) % period;
  return position < size ? position : period - 1 - position;
}

// Computes one pixel per thread (direct convolution). Each multiplication takes two loads from global memory.
__global__ void convolution_naive(const float* image, const float* filter, float* output, int width,
                                  int height, int filter_width, int filter_height, int border) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < filter_height; ++j) {
    const int row = border_index(y + filter_height / 2 - j, height, border);
    for (int i = 0; i < filter_width; ++i) {
      const int column = border_index(x + filter_width / 2 - i, width, border);
      if (row >= 0 && column >= 0) sum += filter[j * filter_width + i] * image[row * width + column];
    }
  }
  output[y * width + x] = sum;
}

// Filter in constant memory, row-major, with at most 64 x 64 elements.
__constant__ float constant_filter[4096];

// Reads the filter from constant memory: all threads of a warp need the same element at the same time, and one
// read is broadcast to all of them. That leaves one load from global memory for each multiplication, not two.
__global__ void convolution_constant(const float* image, float* output, int width, int height,
                                     int filter_width, int filter_height, int border) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < filter_height; ++j) {
    const int row = border_index(y + filter_height / 2 - j, height, border);
    for (int i = 0; i < filter_width; ++i) {
      const int column = border_index(x + filter_width / 2 - i, width, border);
      if (row >= 0 && column >= 0) sum += constant_filter[j * filter_width + i] * image[row * width + column];
    }
  }
  output[y * width + x] = sum;
}

extern __shared__ float shared[];

// Fills a tile with pixels of the image, from (left, top) on. Only this function looks at the border, once per
// pixel.
__device__ void fill_tile(float* tile, int tile_width, int tile_height, const float* image, int left, int top,
                          int width, int height, int border) {
  for (int y = threadIdx.y; y < tile_height; y += blockDim.y) {
    const int row = border_index(top + y, height, border);
    for (int x = threadIdx.x; x < tile_width; x += blockDim.x) {
      const int column = border_index(left + x, width, border);
      tile[y * tile_width + x] = row >= 0 && column >= 0 ? image[row * width + column] : 0;
    }
  }
}

// Tiling: copies the pixels of the block, and a halo of half a filter around them, to shared memory. Neighbours
// need mostly the same pixels. With blocks of 32 x 8 and a filter of 15 x 15, a thread loads 4 pixels, not 225.
// Expects (blockDim.x + filter_width - 1) * (blockDim.y + filter_height - 1) floats of shared memory.
__global__ void convolution_tiled(const float* image, float* output, int width, int height, int filter_width,
                                  int filter_height, int border) {
  const int tile_width = blockDim.x + filter_width - 1, tile_height = blockDim.y + filter_height - 1;
  fill_tile(shared, tile_width, tile_height, image, blockIdx.x * blockDim.x - filter_width / 2,
            blockIdx.y * blockDim.y - filter_height / 2, width, height, border);
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  // The pointer moves with the loop. If the compiler knows that an index is equal in all threads, it reads
  // constant memory in another way, which made this kernel ten times slower on an H200.
  const float* factor = constant_filter;
  const float* pixels =
      &shared[(threadIdx.y + filter_height - 1) * tile_width + threadIdx.x + filter_width - 1];
  float sum = 0;
  for (int j = 0; j < filter_height; ++j, pixels -= tile_width)
    for (int i = 0; i < filter_width; ++i) sum += *factor++ * pixels[-i];
  output[y * width + x] = sum;
}

// Register tiling: computes eight pixels of a column per thread. A sliding window in registers has the eight
// pixels that are multiplied by one element of the filter. The next element down needs seven of them again, so
// two words from shared memory, a pixel and an element, serve eight multiplications. The filter is there, flipped and
// column-major, with columns padded with zeros to a multiple of eight. Expects shared memory for
// filter_width * padded_height floats of the filter, and for the tile.
__global__ void convolution_register_blocked(const float* image, const float* filter, float* output,
                                             int width, int height, int filter_width, int filter_height,
                                             int border) {
  constexpr int per_thread = 8;  // pixels: the thread tile
  const int padded_height = (filter_height + per_thread - 1) / per_thread * per_thread;
  float* const columns = shared;
  for (int i = threadIdx.y; i < filter_width; i += blockDim.y)
    for (int j = threadIdx.x; j < padded_height; j += blockDim.x)
      columns[i * padded_height + j] =
          j < filter_height ? filter[(filter_height - 1 - j) * filter_width + filter_width - 1 - i] : 0;
  float* const tile = &shared[filter_width * padded_height];
  const int tile_width = blockDim.x + filter_width - 1, first_row = blockIdx.y * blockDim.y * per_thread;
  fill_tile(tile, tile_width, blockDim.y * per_thread + padded_height - 1, image,
            blockIdx.x * blockDim.x - filter_width / 2, first_row - filter_height / 2, width, height, border);
  __syncthreads();
  float sums[per_thread] = {};
  for (int i = 0; i < filter_width; ++i) {
    const float* next = &tile[threadIdx.y * per_thread * tile_width + threadIdx.x + i];
    float pixels[per_thread];  // the window, a ring: the newest pixel replaces the oldest
    for (int p = 0; p < per_thread - 1; ++p, next += tile_width) pixels[p] = *next;
    for (int j = 0; j < padded_height; j += per_thread) {
#pragma unroll
      for (int step = 0; step < per_thread; ++step, next += tile_width) {
        pixels[(step + per_thread - 1) % per_thread] = *next;
        for (int p = 0; p < per_thread; ++p)
          sums[p] += columns[i * padded_height + j + step] * pixels[(step + p) % per_thread];
      }
    }
  }
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int p = 0; p < per_thread; ++p) {
    const int y = first_row + threadIdx.y * per_thread + p;
    if (x < width && y < height) output[y * width + x] = sums[p];
  }
}

// Convolves the rows, the first of two passes for a separable filter.
// A separable filter has rank one: it is a column times a row. Two passes take filter_width + filter_height
// multiplications per pixel instead of their product: 30 instead of 225 for 15 x 15. Expects
// (blockDim.x + filter_width - 1) * blockDim.y floats of shared memory.
__global__ void convolution_rows(const float* image, const float* row, float* output, int width, int height,
                                 int filter_width, int border) {
  const int tile_width = blockDim.x + filter_width - 1;
  fill_tile(shared, tile_width, blockDim.y, image, blockIdx.x * blockDim.x - filter_width / 2,
            blockIdx.y * blockDim.y, width, height, border);
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* pixels = &shared[threadIdx.y * tile_width + threadIdx.x + filter_width - 1];
  float sum = 0;
  for (int i = 0; i < filter_width; ++i) sum += row[i] * pixels[-i];
  output[y * width + x] = sum;
}

// Convolves the columns of the result of convolution_rows, the second pass.
// Each thread takes eight rows, so that the halo above and below is a smaller part of the tile. Expects
// blockDim.x * (8 * blockDim.y + filter_height - 1) floats of shared memory.
__global__ void convolution_columns(const float* image, const float* column, float* output, int width,
                                    int height, int filter_height, int border) {
  constexpr int rows_per_thread = 8;
  const int rows = blockDim.y * rows_per_thread, first_row = blockIdx.y * rows;
  fill_tile(shared, blockDim.x, rows + filter_height - 1, image, blockIdx.x * blockDim.x,
            first_row - filter_height / 2, width, height, border);
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int row = threadIdx.y; row < rows; row += blockDim.y) {
    if (x >= width || first_row + row >= height) return;
    const float* pixels = &shared[(row + filter_height - 1) * blockDim.x + threadIdx.x];
    float sum = 0;
    for (int j = 0; j < filter_height; ++j, pixels -= blockDim.x) sum += column[j] * *pixels;
    output[(first_row + row) * width + x] = sum;
  }
}
