// output(x, y) = the sum over i, j of filter(i, j) * image(x + filter_width / 2 - i, y + filter_height / 2 - j)
//
// border: 0, zeros beyond the image; 1, the pixels of its edges; 2, its mirror image
//
// convolution_window takes any filter. convolution_fused takes a filter that is a column times a row.

constexpr int threads = 128;  // of a block
constexpr int warp_rows = 4;  // rows of the image that a warp loads to registers at a time,
constexpr int loads = 5;      // each in so many loads: at most 160 pixels

// The pixel that stands at an index of a row or column of `size` pixels, or -1 for none.
__device__ int source_of(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == 0) return -1;
  if (border == 1) return index < 0 ? 0 : size - 1;
  const int period = 2 * size;
  const int place = (index % period + period) % period;
  return place < size ? place : period - 1 - place;
}

// The columns of the image that a thread loads from each row of a tile or a band that begins at left. -1 means none.
__device__ void find_columns(int (&columns)[loads], int left, int width, int border) {
  for (int k = 0; k < loads; ++k) columns[k] = source_of(left + threadIdx.x % 32 + 32 * k, width, border);
}

// convolution_window
//
// The plan: a block computes 128 x 32 pixels and each of its threads 8 x 4 of them. It takes the filter in parts of at
// most 16 x 16 elements, so that the tile in shared memory has one size for all filters. For each part:
//
//   1. The block copies the part and the pixels that it meets to shared memory.
//   2. Each thread adds the products with the part to its sums, four columns of the part at a time. The pixels that it
//      needs are a window in registers. The window moves down one row for each row of the part, and seven of its eight
//      rows are used again. So three reads of 16 bytes from shared memory serve 128 multiplications, and nearly nine
//      of ten instructions multiply.

constexpr int block_width = 128, block_height = 32;    // pixels of the output for each block
constexpr int thread_width = 4, thread_height = 8;     // pixels of the output for each thread
constexpr int part_side = 16;                          // rows and columns of a part of the filter
constexpr int tile_width = block_width + part_side;    // 144 pixels: rows begin at a multiple of 16 bytes
constexpr int tile_height = block_height + part_side;  // 48 pixels
constexpr int window_width = 8;                        // 4 + 3 pixels are needed: two reads of 16 bytes
constexpr int rows_at_a_time = 16;                     // of the tile, in registers on their way to it

// Copies a part of the flipped filter, zeros where it ends.
__device__ void copy_part(float* part, const float* filter, int first_i, int first_j, int filter_width,
                          int filter_height) {
  for (int k = threadIdx.x; k < part_side * part_side; k += threads) {
    const int j = filter_height - 1 - first_j - k / part_side, i = filter_width - 1 - first_i - k % part_side;
    part[k] = j >= 0 && i >= 0 ? filter[j * filter_width + i] : 0;
  }
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

// convolution_fused
//
// The plan: one launch does both passes, so the result of the first one never goes to global memory. The launch reads
// each pixel of the image about once and writes each result once. A block goes down a strip of columns in bands of
// sixteen rows. For each band, it
//
//   1. stores a band of the image, already in registers, to shared memory,
//   2. begins to load the next band, and does not wait for it,
//   3. does the pass along the rows, from the band to the ring `passed`,
//   4. does the pass along the columns, from the ring to the output, as soon as the ring has all bands that this needs.
//
// The row and the column of the filter are flipped, and padded with zeros to a multiple of sixteen.

constexpr int band_height = 16;                 // rows
constexpr int part_size = 16;                   // elements of the filter's row or column that are taken at once
constexpr int max_factors = 64;                 // elements of the filter's row or column
constexpr int max_strip = 128;                  // columns of the output for each block
constexpr int max_columns = 160;                // columns of the image for each block
constexpr int own_width = 16;                   // pixels of a thread in the first pass, neighbours in a row
constexpr int own_columns = 2, own_height = 8;  // pixels of a thread in the second pass

// Floats from row to row in shared memory, 164 and 132. Both are odd multiples of 16 bytes: if eight threads read 16
// bytes each from eight rows, they use all 32 banks.
constexpr int input_pitch = max_columns + 4, passed_pitch = max_strip + 4;

// Loads a band, `count` pixels of each row, to the registers of the block's threads. All twenty loads of a thread are
// on their way before it waits for the first.
__device__ void load_band(float (&pixels)[warp_rows][loads], int count, const float* image, const int (&columns)[loads],
                          int left, int top, int width, int height, int border) {
  const int lane = threadIdx.x % 32, first = top + threadIdx.x / 32 * warp_rows;
  if (left >= 0 && first >= 0 && left + count <= width && first + warp_rows <= height) {
    const float* const from = &image[first * width + left + lane];
    for (int y = 0; y < warp_rows; ++y)
      for (int k = 0; k < loads; ++k)
        if (lane + 32 * k < count) pixels[y][k] = from[y * width + 32 * k];
  } else {
    for (int y = 0; y < warp_rows; ++y) {
      const int row = source_of(first + y, height, border);
      for (int k = 0; k < loads; ++k)
        pixels[y][k] = row >= 0 && columns[k] >= 0 ? image[row * width + columns[k]] : 0;
    }
  }
}

// Stores the same band from registers to shared memory.
__device__ void store_band(const float (&pixels)[warp_rows][loads], int count, float* rows) {
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * warp_rows;
  for (int y = 0; y < warp_rows; ++y)
    for (int k = 0; k < loads; ++k)
      if (lane + 32 * k < count) rows[(first + y) * input_pitch + lane + 32 * k] = pixels[y][k];
}

// Adds the products of sixteen elements of the filter's row or column with their values to neighbouring sums.
template <int count>
__device__ void add_part(float (&sums)[count], const float (&values)[count + part_size], const float* factors) {
  for (int i = 0; i < part_size; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(&factors[i]);
    const float factor[4] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < 4; ++k)
      for (int p = 0; p < count; ++p) sums[p] += factor[k] * values[p + i + k];
  }
}

// Reads the values for a part in the first pass: neighbours in a row.
__device__ void read_row(float (&values)[own_width + part_size], const float* from) {
  for (int k = 0; k < own_width + part_size; k += 4) {
    const float4 four = *reinterpret_cast<const float4*>(&from[k]);
    values[k] = four.x, values[k + 1] = four.y, values[k + 2] = four.z, values[k + 3] = four.w;
  }
}

__device__ void store_row(float* to, const float (&sums)[own_width]) {
  for (int k = 0; k < own_width; k += 4)
    *reinterpret_cast<float4*>(&to[k]) = make_float4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
}

// Reads the values for a part in the second pass: two columns, which go from one band of the ring into the next.
__device__ void read_columns(float (&values)[own_columns][own_height + part_size], const float* passed, int band,
                             int next_band, int column, int first) {
  for (int k = 0; k < own_height + part_size; k += own_height) {
    const int place =
        first + k < band_height ? band * band_height + first + k : next_band * band_height + first + k - band_height;
    for (int p = 0; p < own_height; ++p) {
      const float2 two = *reinterpret_cast<const float2*>(&passed[(place + p) * passed_pitch + column]);
      values[0][k + p] = two.x, values[1][k + p] = two.y;
    }
  }
}

// Stores a thread's pixels, from (x, y) on, with 8-byte stores if that is possible.
__device__ void store_pixels(float* output, const float (&sums)[own_columns][own_height], int x, int y, int width,
                             int end_y) {
  float* const to = &output[y * width + x];
  if (width % 2 == 0 && x < width && y + own_height <= end_y) {
    for (int p = 0; p < own_height; ++p)
      *reinterpret_cast<float2*>(&to[p * width]) = make_float2(sums[0][p], sums[1][p]);
  } else {
    for (int p = 0; p < own_height; ++p)
      for (int k = 0; k < own_columns; ++k)
        if (x + k < width && y + p < end_y) to[p * width + k] = sums[k][p];
  }
}

extern __shared__ float shared[];

// Expects blocks of 128 threads and strips of 128 columns (112 or 96 for filters more than 32 or 48 wide). Expects
// 2 * 64 + 16 * 164 + 16 * 132 * bands floats of shared memory, where bands = 1 + ceil(filter_height / 16).
__global__ void __launch_bounds__(threads, 5)
    convolution_fused(const float* image, const float* row, const float* column, float* output, int width,
                      int height, int filter_width, int filter_height, int border) {
  const int row_parts = (filter_width + part_size - 1) / part_size;
  const int column_parts = (filter_height + part_size - 1) / part_size;
  const int strip = min(max_strip, max_columns - part_size * row_parts), loaded = strip + part_size * row_parts;
  const int bands = column_parts + 1;
  float* const row_factors = shared;
  float* const column_factors = &shared[max_factors];
  float* const input = &shared[2 * max_factors];
  float* const passed = &input[band_height * input_pitch];
  const int rows = (height + band_height * gridDim.y - 1) / (band_height * gridDim.y) * band_height;
  const int first_x = blockIdx.x * strip, first_y = blockIdx.y * rows, end_y = min(first_y + rows, height);
  if (first_y >= height) return;
  if (threadIdx.x < max_factors) {
    const int k = threadIdx.x;
    row_factors[k] = k < filter_width ? row[filter_width - 1 - k] : 0;
    column_factors[k] = k < filter_height ? column[filter_height - 1 - k] : 0;
  }
  const int left = first_x - filter_width / 2;
  // In the loop, input is the band of the image that begins at row y + lead, and the band of the output begins at y.
  const int lead = part_size * column_parts - filter_height / 2;
  // A thread has sixteen neighbours in a row in the first pass, and eight in each of two columns in the second.
  const int own_row = threadIdx.x % band_height, own_part = threadIdx.x / band_height * own_width;
  const int own_column = threadIdx.x % 64 * own_columns, own_half = threadIdx.x / 64 * own_height;
  int columns[loads];
  find_columns(columns, left, width, border);
  float ahead[warp_rows][loads];
  load_band(ahead, loaded, image, columns, left, first_y - filter_height / 2, width, height, border);
  int oldest = 0;  // band of the ring
  for (int y = first_y - part_size * column_parts; y < end_y; y += band_height) {
    store_band(ahead, loaded, input);
    __syncthreads();
    if (y + band_height < end_y)
      load_band(ahead, loaded, image, columns, left, y + band_height + lead, width, height, border);
    if (own_part < strip) {
      float sums[own_width] = {};
#pragma unroll 1
      for (int part = 0; part < row_parts; ++part) {
        float values[own_width + part_size];
        read_row(values, &input[own_row * input_pitch + own_part + part * part_size]);
        add_part(sums, values, &row_factors[part * part_size]);
      }
      store_row(&passed[(oldest * band_height + own_row) * passed_pitch + own_part], sums);
    }
    if (++oldest == bands) oldest = 0;
    __syncthreads();
    if (y < first_y || own_column >= strip) continue;
    float sums[own_columns][own_height] = {};
    int band = oldest;
#pragma unroll 1
    for (int part = 0; part < column_parts; ++part) {
      const int upper = band;
      if (++band == bands) band = 0;
      float values[own_columns][own_height + part_size];
      read_columns(values, passed, upper, band, own_column, own_half);
      add_part(sums[0], values[0], &column_factors[part * part_size]);
      add_part(sums[1], values[1], &column_factors[part * part_size]);
    }
    store_pixels(output, sums, first_x + own_column, y + own_half, width, end_y);
  }
}
