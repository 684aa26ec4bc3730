// output(x, y) = the sum over i, j of
//   filter(i, j) * image(x + filter_width / 2 - i, y + filter_height / 2 - j)
//
// border: 0, zeros beyond the image; 1, the pixels of its edges; 2, its mirror image
//
// convolution_window, for any filter: register tiling in two dimensions, 4 x 8 pixels for each thread, with a
// sliding window in registers. Three reads of 16 bytes from shared memory serve 128 multiplications. It takes
// the filter in parts of at most 16 x 16 elements, so one tile in shared memory fits all filters.
//
//   tile 144 x 48 in shared memory        window of a thread, 8 x 8 pixels in registers: for each row of the
//   <------- 128 -------><-16->           filter part it slides down a row, and keeps seven of its rows
//   +-------------------+-----+
//   | warp 0, 4 x 8     |     |   8         row j       +--------+
//   | pixels per lane   |     |             row j + 1   |        |   +--------+
//   +-------------------+     |               :         |        |   |        |
//   | warps 1, 2, 3     |     |  24         row j + 7   +--------+   |        |
//   +-------------------+     |             row j + 8                +--------+  <- read
//   | halo                    |  16
//   +-------------------------+
//
// convolution_fused, for a separable filter (of rank one: a column times a row): kernel fusion, both passes in
// one launch. Then global memory holds no result of the first pass: 8 bytes move per pixel, not 16. A block
// goes down a strip of columns in bands of sixteen rows. With a filter of up to 16 rows, for band b:
//
//   prefetch                 global memory -> registers     band b + 1 of the image
//   store                    registers -> input             band b
//   pass along the rows      input -> ring                  band b, 16 x 1 pixels per thread
//   pass along the columns   ring -> output                 bands b - 1 and b, 2 x 8 pixels per thread

constexpr int threads = 128;      // of a block
constexpr int window_blocks = 4;  // of convolution_window on a multiprocessor, which limits registers
constexpr int fused_blocks = 5;   // of convolution_fused
constexpr int warp_rows = 4;      // rows of the image that a warp loads to registers at a time
constexpr int block_rows = 16;    // rows that its four warps load
constexpr int loads_per_row = 5;  // loads of each lane: a row has at most 160 pixels
constexpr int vector_width = 4;   // floats of a 16-byte access

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

// Finds the columns of the image that a thread loads, in a tile or band that begins at left. -1 means none.
__device__ void find_columns(int (&columns)[loads_per_row], int left, int width, int border) {
  for (int k = 0; k < loads_per_row; ++k)
    columns[k] = border_index(left + threadIdx.x % 32 + 32 * k, width, border);
}

// Loads sixteen rows of the image, `count` pixels of each, to the registers of a block. A thread starts all its
// twenty loads before it waits for one.
__device__ void load_rows(float (&pixels)[warp_rows][loads_per_row], int count, const float* image,
                          const int (&columns)[loads_per_row], int left, int top, int width, int height,
                          int border) {
  const int lane = threadIdx.x % 32, first = top + threadIdx.x / 32 * warp_rows;
  if (left >= 0 && first >= 0 && left + count <= width && first + warp_rows <= height) {
    const float* const from = &image[first * width + left + lane];
    for (int y = 0; y < warp_rows; ++y)
      for (int k = 0; k < loads_per_row; ++k)
        if (lane + 32 * k < count) pixels[y][k] = from[y * width + 32 * k];
  } else {
    for (int y = 0; y < warp_rows; ++y) {
      const int row = border_index(first + y, height, border);
      for (int k = 0; k < loads_per_row; ++k)
        pixels[y][k] = row >= 0 && columns[k] >= 0 ? image[row * width + columns[k]] : 0;
    }
  }
}

// Stores the same rows to shared memory, where rows are `pitch` floats apart.
__device__ void store_rows(const float (&pixels)[warp_rows][loads_per_row], int count, float* rows, int pitch) {
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * warp_rows;
  for (int y = 0; y < warp_rows; ++y)
    for (int k = 0; k < loads_per_row; ++k)
      if (lane + 32 * k < count) rows[(first + y) * pitch + lane + 32 * k] = pixels[y][k];
}

// convolution_window
//
// For each part of the filter:
//
//   1. The block copies the part, and the pixels that it is multiplied by, to shared memory.
//   2. Each thread adds the products with the part to its sums, four columns of the part at a time. Nearly
//      nine of ten instructions multiply.

constexpr int block_width = 128, block_height = 32;    // block tile: pixels of the output
constexpr int thread_width = 4, thread_height = 8;     // thread tile: pixels of the output
constexpr int part_side = 16;                          // rows and columns of a part of the filter
constexpr int tile_width = block_width + part_side;    // 144 pixels: rows begin at a multiple of 16 bytes
constexpr int tile_height = block_height + part_side;  // 48 pixels
constexpr int window_width = 8;                        // 4 + 3 pixels are needed: two reads of 16 bytes

// Copies a part of the flipped filter to shared memory, with zeros where the filter ends.
__device__ void copy_part(float* part, const float* filter, int first_i, int first_j, int filter_width,
                          int filter_height) {
  for (int k = threadIdx.x; k < part_side * part_side; k += threads) {
    const int j = filter_height - 1 - first_j - k / part_side, i = filter_width - 1 - first_i - k % part_side;
    part[k] = j >= 0 && i >= 0 ? filter[j * filter_width + i] : 0;
  }
}

// Copies a tile of the image to shared memory, by way of registers.
__device__ void copy_tile(float* tile, const float* image, int left, int top, int width, int height,
                          int border) {
  int columns[loads_per_row];
  find_columns(columns, left, width, border);
#pragma unroll 1
  for (int y = 0; y < tile_height; y += block_rows) {
    float pixels[warp_rows][loads_per_row];
    load_rows(pixels, tile_width, image, columns, left, top + y, width, height, border);
    store_rows(pixels, tile_width, &tile[y * tile_width], tile_width);
  }
}

// Reads a row of the window: two reads of 16 bytes.
__device__ void read_window_row(float (&to)[window_width], const float* from) {
  for (int x = 0; x < window_width; x += vector_width)
    *reinterpret_cast<float4*>(&to[x]) = *reinterpret_cast<const float4*>(&from[x]);
}

// Adds the products with `columns` columns of a filter part to the sums of a thread, while its window slides
// down.
template <int columns>
__device__ void add_columns(float (&sums)[thread_height][thread_width], const float* pixels,
                            const float* factors, int rows) {
  float window[thread_height][window_width];  // a ring of rows: the newest replaces the oldest
  for (int y = 0; y < thread_height - 1; ++y) read_window_row(window[y], &pixels[y * tile_width]);
  for (int j = 0; j < rows; j += thread_height) {
#pragma unroll
    for (int step = 0; step < thread_height; ++step) {
      if (j + step >= rows) break;
      const int newest = step + thread_height - 1;
      read_window_row(window[newest % thread_height], &pixels[newest * tile_width]);
      const float4 vector = *reinterpret_cast<const float4*>(&factors[step * part_side]);
      const float factor[vector_width] = {vector.x, vector.y, vector.z, vector.w};
      for (int i = 0; i < columns; ++i)
        for (int y = 0; y < thread_height; ++y)
          for (int x = 0; x < thread_width; ++x)
            sums[y][x] += factor[i] * window[(step + y) % thread_height][x + i];
    }
    pixels += thread_height * tile_width;
    factors += thread_height * part_side;
  }
}

// Stores four neighbours in a row of the output, with one store if rows begin at multiples of 16 bytes.
__device__ void store_vector(float* output, const float (&sum)[thread_width], int x, int y, int width,
                             int height) {
  if (width % vector_width == 0) {
    if (x < width && y < height)
      *reinterpret_cast<float4*>(&output[y * width + x]) = make_float4(sum[0], sum[1], sum[2], sum[3]);
  } else {
    for (int k = 0; k < thread_width; ++k)
      if (x + k < width && y < height) output[y * width + x + k] = sum[k];
  }
}

// Expects blocks of 128 threads.
__global__ void __launch_bounds__(threads, window_blocks)
    convolution_window(const float* image, const float* filter, float* output, int width, int height,
                       int filter_width, int filter_height, int border) {
  __shared__ __align__(16) float tile[tile_height * tile_width];
  __shared__ __align__(16) float part[part_side * part_side];
  const int first_x = blockIdx.x * block_width, first_y = blockIdx.y * block_height;
  const int thread_x = threadIdx.x % 32 * thread_width, thread_y = threadIdx.x / 32 * thread_height;
  float sums[thread_height][thread_width] = {};
  for (int first_j = 0; first_j < filter_height; first_j += part_side) {
    for (int first_i = 0; first_i < filter_width; first_i += part_side) {
      const int rows = min(part_side, filter_height - first_j),
                columns = min(part_side, filter_width - first_i);
      __syncthreads();  // before this part and its tile replace the last ones
      copy_part(part, filter, first_i, first_j, filter_width, filter_height);
      const int left = first_x - filter_width / 2 + first_i, top = first_y - filter_height / 2 + first_j;
      copy_tile(tile, image, left, top, width, height, border);
      __syncthreads();
      for (int i = 0; i < columns; i += vector_width) {
        const float* const pixels = &tile[thread_y * tile_width + thread_x + i];
        if (columns - i >= vector_width)
          add_columns<vector_width>(sums, pixels, &part[i], rows);
        else if (columns - i == 3)
          add_columns<3>(sums, pixels, &part[i], rows);
        else
          add_columns<1>(sums, pixels, &part[i], rows);  // filters are odd-sized, so two are never left
      }
    }
  }
  for (int p = 0; p < thread_height; ++p)
    store_vector(output, sums[p], first_x + thread_x, first_y + thread_y + p, width, height);
}

// convolution_fused
//
// Reads each pixel of the image about once, and writes each result once. For each band of sixteen rows, a block
//
//   1. stores a band of the image, already in registers, to shared memory,
//   2. begins to load the next band, and does not wait for it,
//   3. does the pass along the rows, from the band to a ring buffer of bands,
//   4. does the pass along the columns, from the ring to the output, once the ring has all bands for it.
//
// The row and the column of the filter are flipped, and padded with zeros to a multiple of sixteen. Their
// elements are called taps.

constexpr int band_height = 16;     // rows
constexpr int part_size = 16;       // taps that are taken at once
constexpr int max_taps = 64;        // of the filter's row or column
constexpr int max_strip = 128;      // columns of the output for each block
constexpr int max_columns = 160;    // columns of the image for each block
constexpr int row_pass_width = 16;  // thread tile of the pass along the rows: neighbours in a row
constexpr int column_pass_width = 2, column_pass_height = 8;  // thread tile of the pass along the columns

// Floats from row to row in shared memory, 164 and 132. The padding makes both odd multiples of 16 bytes: if
// eight threads read 16 bytes each from eight rows, they use all 32 banks.
constexpr int input_pitch = max_columns + vector_width, ring_pitch = max_strip + vector_width;

// Adds the products of sixteen taps with the values to `count` neighbouring sums.
template <int count>
__device__ void add_part(float (&sums)[count], const float (&values)[count + part_size], const float* taps) {
  for (int i = 0; i < part_size; i += vector_width) {
    const float4 vector = *reinterpret_cast<const float4*>(&taps[i]);
    const float tap[vector_width] = {vector.x, vector.y, vector.z, vector.w};
    for (int k = 0; k < vector_width; ++k)
      for (int p = 0; p < count; ++p) sums[p] += tap[k] * values[p + i + k];
  }
}

// Reads the values for a part in the pass along the rows: neighbours in a row.
__device__ void read_row(float (&values)[row_pass_width + part_size], const float* from) {
  for (int k = 0; k < row_pass_width + part_size; k += vector_width)
    *reinterpret_cast<float4*>(&values[k]) = *reinterpret_cast<const float4*>(&from[k]);
}

// Stores the sums of the pass along the rows to the ring.
__device__ void store_row(float* to, const float (&sums)[row_pass_width]) {
  for (int k = 0; k < row_pass_width; k += vector_width)
    *reinterpret_cast<float4*>(&to[k]) = make_float4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
}

// Reads the values for a part in the pass along the columns: two columns, from one band into the next.
__device__ void read_columns(float (&values)[column_pass_width][column_pass_height + part_size],
                             const float* ring, int band, int next_band, int column, int first) {
  for (int k = 0; k < column_pass_height + part_size; k += column_pass_height) {
    const int place = first + k < band_height ? band * band_height + first + k
                                              : next_band * band_height + first + k - band_height;
    for (int p = 0; p < column_pass_height; ++p) {
      const float2 pair = *reinterpret_cast<const float2*>(&ring[(place + p) * ring_pitch + column]);
      values[0][k + p] = pair.x;
      values[1][k + p] = pair.y;
    }
  }
}

// Stores a thread's pixels, from (x, y) on, with 8-byte stores if that is possible.
__device__ void store_pixels(float* output, const float (&sums)[column_pass_width][column_pass_height], int x,
                             int y, int width, int end_y) {
  float* const to = &output[y * width + x];
  if (width % 2 == 0 && x < width && y + column_pass_height <= end_y) {
    for (int p = 0; p < column_pass_height; ++p)
      *reinterpret_cast<float2*>(&to[p * width]) = make_float2(sums[0][p], sums[1][p]);
  } else {
    for (int p = 0; p < column_pass_height; ++p)
      for (int k = 0; k < column_pass_width; ++k)
        if (x + k < width && y + p < end_y) to[p * width + k] = sums[k][p];
  }
}

extern __shared__ float shared[];

// Expects blocks of 128 threads and strips of 128 columns (112 or 96 for filters more than 32 or 48 wide).
// Expects 2 * 64 + 16 * 164 + 16 * 132 * bands floats of shared memory, with
// bands = 1 + ceil(filter_height / 16).
__global__ void __launch_bounds__(threads, fused_blocks)
    convolution_fused(const float* image, const float* row, const float* column, float* output, int width,
                      int height, int filter_width, int filter_height, int border) {
  const int row_parts = (filter_width + part_size - 1) / part_size;
  const int column_parts = (filter_height + part_size - 1) / part_size;
  const int strip = min(max_strip, max_columns - part_size * row_parts),
            input_columns = strip + part_size * row_parts;
  const int bands = column_parts + 1;
  float* const row_taps = shared;
  float* const column_taps = &shared[max_taps];
  float* const input = &shared[2 * max_taps];
  float* const ring = &input[band_height * input_pitch];
  const int rows = (height + band_height * gridDim.y - 1) / (band_height * gridDim.y) * band_height;
  const int first_x = blockIdx.x * strip, first_y = blockIdx.y * rows, end_y = min(first_y + rows, height);
  if (first_y >= height) return;
  if (threadIdx.x < max_taps) {
    const int k = threadIdx.x;
    row_taps[k] = k < filter_width ? row[filter_width - 1 - k] : 0;
    column_taps[k] = k < filter_height ? column[filter_height - 1 - k] : 0;
  }
  const int left = first_x - filter_width / 2;
  // In the loop, the output's band begins at row y. `lead`: rows by which the image's band, in `input`, is ahead of it.
  const int lead = part_size * column_parts - filter_height / 2;
  // Place of a thread's tile in the band (pass along the rows) and in the strip (pass along the columns).
  const int band_row = threadIdx.x % band_height, band_column = threadIdx.x / band_height * row_pass_width;
  const int strip_column = threadIdx.x % 64 * column_pass_width,
            strip_row = threadIdx.x / 64 * column_pass_height;
  int columns[loads_per_row];
  find_columns(columns, left, width, border);
  float prefetched[warp_rows][loads_per_row];
  load_rows(prefetched, input_columns, image, columns, left, first_y - filter_height / 2, width, height,
            border);
  int oldest = 0;  // index of the oldest band in the ring
  for (int y = first_y - part_size * column_parts; y < end_y; y += band_height) {
    store_rows(prefetched, input_columns, input, input_pitch);
    __syncthreads();
    if (y + band_height < end_y)
      load_rows(prefetched, input_columns, image, columns, left, y + band_height + lead, width, height,
                border);
    if (band_column < strip) {
      float sums[row_pass_width] = {};
#pragma unroll 1
      for (int part = 0; part < row_parts; ++part) {
        float values[row_pass_width + part_size];
        read_row(values, &input[band_row * input_pitch + band_column + part * part_size]);
        add_part(sums, values, &row_taps[part * part_size]);
      }
      store_row(&ring[(oldest * band_height + band_row) * ring_pitch + band_column], sums);
    }
    if (++oldest == bands) oldest = 0;
    __syncthreads();
    if (y < first_y || strip_column >= strip) continue;
    float sums[column_pass_width][column_pass_height] = {};
    int band = oldest;
#pragma unroll 1
    for (int part = 0; part < column_parts; ++part) {
      const int upper = band;
      if (++band == bands) band = 0;
      float values[column_pass_width][column_pass_height + part_size];
      read_columns(values, ring, upper, band, strip_column, strip_row);
      add_part(sums[0], values[0], &column_taps[part * part_size]);
      add_part(sums[1], values[1], &column_taps[part * part_size]);
    }
    store_pixels(output, sums, first_x + strip_column, y + strip_row, width, end_y);
  }
}
