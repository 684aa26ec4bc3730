// output(x, y) = the sum over i, j of filter(i, j) * image(x + filter_width / 2 - i, y + filter_height / 2 - j)
//
// border: 0, zeros beyond the image; 1, the pixels of its edges; 2, its mirror image
//
// The plan: a block computes 128 x 32 pixels and each of its threads 8 x 4 of them. It takes the filter in parts of at
// most 16 x 16 elements, so that the tile in shared memory has one size for all filters. For each part:
//
//   1. The block copies the part and the pixels that it meets to shared memory.
//   2. Each thread adds the products with the part to its sums, four columns of the part at a time. The pixels that it
//      needs are a window in registers. The window moves down one row for each row of the part, and seven of its eight
//      rows are used again. So three reads of 16 bytes from shared memory serve 128 multiplications, and nearly nine
//      of ten instructions multiply.

constexpr int threads = 128;                           // of a block
constexpr int block_width = 128, block_height = 32;    // pixels of the output for each block
constexpr int thread_width = 4, thread_height = 8;     // pixels of the output for each thread
constexpr int part_side = 16;                          // rows and columns of a part of the filter
constexpr int tile_width = block_width + part_side;    // 144 pixels: rows begin at a multiple of 16 bytes
constexpr int tile_height = block_height + part_side;  // 48 pixels
constexpr int window_width = 8;                        // 4 + 3 pixels are needed: two reads of 16 bytes
constexpr int rows_at_a_time = 16;                     // of the tile, in registers on their way to it,
constexpr int warp_rows = 4;                           // four for each warp,
constexpr int loads = (tile_width + 31) / 32;          // each in so many loads of a warp

// The pixel that stands at an index of a row or column of `size` pixels, or -1 for none.
__device__ int source_of(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == 0) return -1;
  if (border == 1) return index < 0 ? 0 : size - 1;
  const int period = 2 * size;
  const int place = (index % period + period) % period;
  return place < size ? place : period - 1 - place;
}

// Copies a part of the flipped filter, zeros where it ends.
__device__ void copy_part(float* part, const float* filter, int first_i, int first_j, int filter_width,
                          int filter_height) {
  for (int k = threadIdx.x; k < part_side * part_side; k += threads) {
    const int j = filter_height - 1 - first_j - k / part_side, i = filter_width - 1 - first_i - k % part_side;
    part[k] = j >= 0 && i >= 0 ? filter[j * filter_width + i] : 0;
  }
}

// The columns of the image that a thread loads from each row of the tile, which begins at left. -1 means none.
__device__ void find_columns(int (&columns)[loads], int left, int width, int border) {
  for (int k = 0; k < loads; ++k) columns[k] = source_of(left + threadIdx.x % 32 + 32 * k, width, border);
}

// Loads sixteen rows of the tile to the registers of the block's threads. All twenty loads of a thread are on their way
// before it waits for the first.
__device__ void load_rows(float (&pixels)[warp_rows][loads], const float* image, const int (&columns)[loads], int left,
                          int top, int width, int height, int border) {
  const int lane = threadIdx.x % 32, first = top + threadIdx.x / 32 * warp_rows;
  if (left >= 0 && first >= 0 && left + tile_width <= width && first + warp_rows <= height) {
    const float* const from = &image[first * width + left + lane];
    for (int y = 0; y < warp_rows; ++y)
      for (int k = 0; k < loads; ++k)
        if (lane + 32 * k < tile_width) pixels[y][k] = from[y * width + 32 * k];
  } else {
    for (int y = 0; y < warp_rows; ++y) {
      const int row = source_of(first + y, height, border);
      for (int k = 0; k < loads; ++k)
        pixels[y][k] = row >= 0 && columns[k] >= 0 ? image[row * width + columns[k]] : 0;
    }
  }
}

// Stores the same rows from registers to the tile.
__device__ void store_rows(const float (&pixels)[warp_rows][loads], float* rows) {
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * warp_rows;
  for (int y = 0; y < warp_rows; ++y)
    for (int k = 0; k < loads; ++k)
      if (lane + 32 * k < tile_width) rows[(first + y) * tile_width + lane + 32 * k] = pixels[y][k];
}

__device__ void copy_tile(float* tile, const float* image, int left, int top, int width, int height, int border) {
  int columns[loads];
  find_columns(columns, left, width, border);
#pragma unroll 1
  for (int y = 0; y < tile_height; y += rows_at_a_time) {
    float pixels[warp_rows][loads];
    load_rows(pixels, image, columns, left, top + y, width, height, border);
    store_rows(pixels, &tile[y * tile_width]);
  }
}

// Two reads of 16 bytes each.
__device__ void read_eight(float (&to)[window_width], const float* from) {
  const float4 left = *reinterpret_cast<const float4*>(from), right = *reinterpret_cast<const float4*>(from + 4);
  to[0] = left.x, to[1] = left.y, to[2] = left.z, to[3] = left.w;
  to[4] = right.x, to[5] = right.y, to[6] = right.z, to[7] = right.w;
}

// Adds the products with some columns of a part to the sums of a thread.
template <int columns>
__device__ void add_columns(float (&sums)[thread_height][thread_width], const float* pixels, const float* factors,
                            int rows) {
  float window[thread_height][window_width];  // a ring of rows: the newest takes the place of the oldest
  for (int y = 0; y < thread_height - 1; ++y) read_eight(window[y], &pixels[y * tile_width]);
  for (int j = 0; j < rows; j += thread_height) {
#pragma unroll
    for (int step = 0; step < thread_height; ++step) {
      if (j + step >= rows) break;
      const int newest = step + thread_height - 1;
      read_eight(window[newest % thread_height], &pixels[newest * tile_width]);
      const float4 four = *reinterpret_cast<const float4*>(&factors[step * part_side]);
      const float factor[4] = {four.x, four.y, four.z, four.w};
      for (int i = 0; i < columns; ++i)
        for (int y = 0; y < thread_height; ++y)
          for (int x = 0; x < thread_width; ++x)
            sums[y][x] += factor[i] * window[(step + y) % thread_height][x + i];
    }
    pixels += thread_height * tile_width;
    factors += thread_height * part_side;
  }
}

// Stores four neighbours in a row of the output. One store is enough if rows begin at multiples of 16 bytes.
__device__ void store_four(float* output, const float (&sum)[thread_width], int x, int y, int width, int height) {
  if (width % 4 == 0) {
    if (x < width && y < height)
      *reinterpret_cast<float4*>(&output[y * width + x]) = make_float4(sum[0], sum[1], sum[2], sum[3]);
  } else {
    for (int k = 0; k < thread_width; ++k)
      if (x + k < width && y < height) output[y * width + x + k] = sum[k];
  }
}

// Expects blocks of 128 threads.
__global__ void __launch_bounds__(threads, 4)
    convolution_window(const float* image, const float* filter, float* output, int width, int height,
                       int filter_width, int filter_height, int border) {
  __shared__ __align__(16) float tile[tile_height * tile_width];
  __shared__ __align__(16) float part[part_side * part_side];
  const int first_x = blockIdx.x * block_width, first_y = blockIdx.y * block_height;
  const int thread_x = threadIdx.x % 32 * thread_width, thread_y = threadIdx.x / 32 * thread_height;
  float sums[thread_height][thread_width] = {};
  for (int first_j = 0; first_j < filter_height; first_j += part_side) {
    for (int first_i = 0; first_i < filter_width; first_i += part_side) {
      const int rows = min(part_side, filter_height - first_j), columns = min(part_side, filter_width - first_i);
      __syncthreads();  // before a part and its tile replace the last ones
      copy_part(part, filter, first_i, first_j, filter_width, filter_height);
      const int left = first_x - filter_width / 2 + first_i, top = first_y - filter_height / 2 + first_j;
      copy_tile(tile, image, left, top, width, height, border);
      __syncthreads();
      for (int i = 0; i < columns; i += 4) {
        const float* const pixels = &tile[thread_y * tile_width + thread_x + i];
        if (columns - i >= 4) add_columns<4>(sums, pixels, &part[i], rows);
        else if (columns - i == 3) add_columns<3>(sums, pixels, &part[i], rows);
        else add_columns<1>(sums, pixels, &part[i], rows);  // filters are odd-sized, so two are never left
      }
    }
  }
  for (int p = 0; p < thread_height; ++p)
    store_four(output, sums[p], first_x + thread_x, first_y + thread_y + p, width, height);
}
