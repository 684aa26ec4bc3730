// output(x, y) = the sum over i, j of filter(i, j) * image(x + filter_width / 2 - i, y + filter_height / 2 - j)
//
// The filter is odd-sized and turned round: this is a convolution, not a correlation. Beyond the image, by border: 0,
// there is nothing; 1, its edge pixels go on; 2, it is mirrored at its edges, as often as the filter reaches.

// Which pixel of a row or column of that size stands at the index, or -1 for none.
__device__ int source_of(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == 0) return -1;
  if (border == 1) return index < 0 ? 0 : size - 1;
  const int period = 2 * size;
  const int place = (index % period + period) % period;
  return place < size ? place : period - 1 - place;
}

// One thread per pixel: it reads the filter and the pixels around its own from global memory.
__global__ void convolution_naive(const float* image, const float* filter, float* output, int width,
                                  int height, int filter_width, int filter_height, int border) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < filter_height; ++j) {
    const int row = source_of(y + filter_height / 2 - j, height, border);
    for (int i = 0; i < filter_width; ++i) {
      const int column = source_of(x + filter_width / 2 - i, width, border);
      if (row >= 0 && column >= 0) sum += filter[j * filter_width + i] * image[row * width + column];
    }
  }
  output[y * width + x] = sum;
}

// As many elements as the filter can have where constant memory holds it.
__constant__ float constant_filter[4096];

// All threads need the same element of the filter at the same time: one read of constant memory serves a
// warp.
__global__ void convolution_constant(const float* image, float* output, int width, int height,
                                     int filter_width, int filter_height, int border) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < filter_height; ++j) {
    const int row = source_of(y + filter_height / 2 - j, height, border);
    for (int i = 0; i < filter_width; ++i) {
      const int column = source_of(x + filter_width / 2 - i, width, border);
      if (row >= 0 && column >= 0) sum += constant_filter[j * filter_width + i] * image[row * width + column];
    }
  }
  output[y * width + x] = sum;
}

extern __shared__ float shared[];

// Copies the pixels from (left, top) on to a tile. The border is dealt with here, once for each pixel.
__device__ void fill_tile(float* tile, int tile_width, int tile_height, const float* image, int left, int top,
                          int width, int height, int border) {
  for (int y = threadIdx.y; y < tile_height; y += blockDim.y) {
    const int row = source_of(top + y, height, border);
    for (int x = threadIdx.x; x < tile_width; x += blockDim.x) {
      const int column = source_of(left + x, width, border);
      tile[y * tile_width + x] = row >= 0 && column >= 0 ? image[row * width + column] : 0;
    }
  }
}

// Neighbours share most of their pixels: the block copies them to shared memory once, its own and a halo of
// half a filter around them. Expects (blockDim.x + filter_width - 1) * (blockDim.y + filter_height - 1)
// floats there.
__global__ void convolution_tiled(const float* image, float* output, int width, int height, int filter_width,
                                  int filter_height, int border) {
  const int tile_width = blockDim.x + filter_width - 1, tile_height = blockDim.y + filter_height - 1;
  fill_tile(shared, tile_width, tile_height, image, blockIdx.x * blockDim.x - filter_width / 2,
            blockIdx.y * blockDim.y - filter_height / 2, width, height, border);
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  // A pointer that walks: by an index that it knows to be equal in all threads, the compiler reads constant
  // memory in a way that made this kernel ten times slower on an H200.
  const float* factor = constant_filter;
  const float* pixels =
      &shared[(threadIdx.y + filter_height - 1) * tile_width + threadIdx.x + filter_width - 1];
  float sum = 0;
  for (int j = 0; j < filter_height; ++j, pixels -= tile_width)
    for (int i = 0; i < filter_width; ++i) sum += *factor++ * pixels[-i];
  output[y * width + x] = sum;
}

// A thread computes eight pixels, one below the other, and keeps in registers the eight that one element of
// the filter meets: for the next element down the filter's column, seven of them serve again. So two words
// from shared memory serve for eight multiplications. The filter lies there, too, turned round, column by
// column, and each column is filled up with zeros to whole eights. Expects filter_width * padded_height
// floats, and those of the tile.
__global__ void convolution_register_blocked(const float* image, const float* filter, float* output,
                                             int width, int height, int filter_width, int filter_height,
                                             int border) {
  const int padded_height = (filter_height + 7) / 8 * 8;
  float* const columns = shared;
  for (int i = threadIdx.y; i < filter_width; i += blockDim.y)
    for (int j = threadIdx.x; j < padded_height; j += blockDim.x)
      columns[i * padded_height + j] =
          j < filter_height ? filter[(filter_height - 1 - j) * filter_width + filter_width - 1 - i] : 0;
  float* const tile = &shared[filter_width * padded_height];
  const int tile_width = blockDim.x + filter_width - 1, first_row = blockIdx.y * blockDim.y * 8;
  fill_tile(tile, tile_width, blockDim.y * 8 + padded_height - 1, image,
            blockIdx.x * blockDim.x - filter_width / 2, first_row - filter_height / 2, width, height, border);
  __syncthreads();
  float sums[8] = {};
  for (int i = 0; i < filter_width; ++i) {
    const float* next = &tile[threadIdx.y * 8 * tile_width + threadIdx.x + i];
    float pixels[8];  // a ring: the newest pixel takes the place of the oldest
    for (int p = 0; p < 7; ++p, next += tile_width) pixels[p] = *next;
    for (int j = 0; j < padded_height; j += 8) {
#pragma unroll
      for (int step = 0; step < 8; ++step, next += tile_width) {
        pixels[(step + 7) % 8] = *next;
        for (int p = 0; p < 8; ++p) sums[p] += columns[i * padded_height + j + step] * pixels[(step + p) % 8];
      }
    }
  }
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int p = 0; p < 8; ++p) {
    const int y = first_row + threadIdx.y * 8 + p;
    if (x < width && y < height) output[y * width + x] = sums[p];
  }
}

// A filter of rank one is a column times a row. Then the rows of the image can be convolved each by itself,
// and after that the columns: filter_width + filter_height multiplications per pixel, instead of their
// product. Expects (blockDim.x + filter_width - 1) * blockDim.y floats of shared memory.
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

// The second pass, over what the first has left. A block takes eight times as many rows as it has, so that
// the halo above and below weighs less. Expects blockDim.x * (8 * blockDim.y + filter_height - 1) floats of
// shared memory.
__global__ void convolution_columns(const float* image, const float* column, float* output, int width,
                                    int height, int filter_height, int border) {
  const int rows = blockDim.y * 8, first_row = blockIdx.y * rows;
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

// Which columns of the image a thread reads of sixteen rows of pixels from left on, or -1 for none.
__device__ void columns_from(int (&columns)[5], int left, int width, int border) {
  for (int k = 0; k < 5; ++k) columns[k] = source_of(left + threadIdx.x % 32 + 32 * k, width, border);
}

// Sixteen rows of pixels from (left, top) on, at most 160 in each, from memory to the registers of 128 threads:
// a warp takes four of them. All twenty reads of a thread are on their way before the first is waited for.
__device__ void fetch(float (&pixels)[4][5], int count, const float* image, const int (&columns)[5], int left, int top,
                      int width, int height, int border) {
  const int lane = threadIdx.x % 32, first = top + threadIdx.x / 32 * 4;
  if (left >= 0 && first >= 0 && left + count <= width && first + 4 <= height) {
    const float* const from = &image[first * width + left + lane];
    for (int y = 0; y < 4; ++y)
      for (int k = 0; k < 5; ++k)
        if (lane + 32 * k < count) pixels[y][k] = from[y * width + 32 * k];
  } else {
    for (int y = 0; y < 4; ++y) {
      const int row = source_of(first + y, height, border);
      for (int k = 0; k < 5; ++k) pixels[y][k] = row >= 0 && columns[k] >= 0 ? image[row * width + columns[k]] : 0;
    }
  }
}

// The same pixels from registers to rows of that pitch.
__device__ void put_down(const float (&pixels)[4][5], int count, float* rows, int pitch) {
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 4;
  for (int y = 0; y < 4; ++y)
    for (int k = 0; k < 5; ++k)
      if (lane + 32 * k < count) rows[(first + y) * pitch + lane + 32 * k] = pixels[y][k];
}

// Two reads of 16 bytes each.
__device__ void read_eight(float (&to)[8], const float* from) {
  const float4 left = *(const float4*)from, right = *(const float4*)(from + 4);
  to[0] = left.x, to[1] = left.y, to[2] = left.z, to[3] = left.w;
  to[4] = right.x, to[5] = right.y, to[6] = right.z, to[7] = right.w;
}

// What so many columns of a part of the filter add to the 8 x 4 sums of a thread.
template <int columns>
__device__ void add_columns(float (&sums)[8][4], const float* pixels, const float* factors, int rows) {
  float window[8][8];  // a ring of rows: the newest takes the place of the oldest
  for (int y = 0; y < 7; ++y) read_eight(window[y], &pixels[y * 144]);
  for (int j = 0; j < rows; j += 8) {
#pragma unroll
    for (int step = 0; step < 8; ++step) {
      if (j + step >= rows) break;
      read_eight(window[(step + 7) % 8], &pixels[(step + 7) * 144]);
      const float4 four = *(const float4*)&factors[step * 16];
      const float factor[4] = {four.x, four.y, four.z, four.w};
      for (int i = 0; i < columns; ++i)
        for (int y = 0; y < 8; ++y)
          for (int x = 0; x < 4; ++x) sums[y][x] += factor[i] * window[(step + y) % 8][x + i];
    }
    pixels += 8 * 144;
    factors += 8 * 16;
  }
}

// A thread computes 8 x 4 pixels and takes the filter four columns at a time. The 8 x 7 pixels that four elements
// of a row meet are in registers, and for the next row of the filter seven of their eight rows serve again: three
// reads of 16 bytes from shared memory serve for 128 multiplications, and of ten instructions nearly nine
// multiply. A filter is taken in parts of at most 16 x 16 elements, so that the tile has one size for all of
// them. Expects blocks of 128 threads, for 128 x 32 pixels.
__global__ void __launch_bounds__(128, 4)
    convolution_window(const float* image, const float* filter, float* output, int width, int height,
                       int filter_width, int filter_height, int border) {
  __shared__ __align__(16) float tile[48 * 144];
  __shared__ __align__(16) float part[16 * 16];
  const int first_x = blockIdx.x * 128, first_y = blockIdx.y * 32;
  const int thread_x = threadIdx.x % 32 * 4, thread_y = threadIdx.x / 32 * 8;
  float sums[8][4] = {};
  for (int first_j = 0; first_j < filter_height; first_j += 16) {
    for (int first_i = 0; first_i < filter_width; first_i += 16) {
      const int rows = min(16, filter_height - first_j), columns = min(16, filter_width - first_i);
      __syncthreads();  // before a part and its tile replace the last ones
      for (int k = threadIdx.x; k < 256; k += 128) {
        const int j = filter_height - 1 - first_j - k / 16, i = filter_width - 1 - first_i - k % 16;
        part[k] = j >= 0 && i >= 0 ? filter[j * filter_width + i] : 0;
      }
      const int left = first_x - filter_width / 2 + first_i, top = first_y - filter_height / 2 + first_j;
      int places[5];
      columns_from(places, left, width, border);
#pragma unroll 1
      for (int y = 0; y < 48; y += 16) {
        float pixels[4][5];
        fetch(pixels, 144, image, places, left, top + y, width, height, border);
        put_down(pixels, 144, &tile[y * 144], 144);
      }
      __syncthreads();
      for (int i = 0; i < columns; i += 4) {
        const float* const pixels = &tile[thread_y * 144 + thread_x + i];
        if (columns - i >= 4) add_columns<4>(sums, pixels, &part[i], rows);
        else if (columns - i == 3) add_columns<3>(sums, pixels, &part[i], rows);
        else add_columns<1>(sums, pixels, &part[i], rows);
      }
    }
  }
  const int x = first_x + thread_x;
  for (int p = 0; p < 8; ++p) {
    const int y = first_y + thread_y + p;
    const float* const sum = sums[p];
    if (width % 4 == 0) {
      if (x < width && y < height) *(float4*)&output[y * width + x] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    } else {
      for (int k = 0; k < 4; ++k)
        if (x + k < width && y < height) output[y * width + x + k] = sum[k];
    }
  }
}

// What sixteen elements of a row or column add to neighbouring sums, with the values that they meet.
template <int count>
__device__ void add_sixteen(float (&sums)[count], const float (&values)[count + 16], const float* factors) {
  for (int i = 0; i < 16; i += 4) {
    const float4 four = *(const float4*)&factors[i];
    const float factor[4] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < 4; ++k)
      for (int p = 0; p < count; ++p) sums[p] += factor[k] * values[p + i + k];
  }
}

// Both passes in one launch: what the first one leaves never goes to global memory, which reads each pixel of the
// image about once and writes each result once. A block goes down a strip of columns, sixteen rows at a time, a
// band. The pass along the rows turns a band of the image into a band of the ring passed; the pass along the
// columns begins as soon as the ring holds all bands that it needs. While a band is worked on, the next one is on
// its way to registers. Row and column of the filter are filled up with zeros to whole sixteens. The pitches, 164
// and 132 floats, are odd multiples of 16 bytes, so that eight threads that read 16 bytes in eight rows do so in
// all 32 banks. Expects blocks of 128 threads, strips of 128 columns (112 or 96 for filters more than 32 or 48
// wide), and 128 + 16 * 164 + 16 * 132 * bands floats of shared memory, bands = 1 + ceil(filter_height / 16).
__global__ void __launch_bounds__(128, 5)
    convolution_fused(const float* image, const float* row, const float* column, float* output, int width,
                      int height, int filter_width, int filter_height, int border) {
  const int row_parts = (filter_width + 15) / 16, column_parts = (filter_height + 15) / 16;
  const int strip = min(128, 160 - 16 * row_parts), fetched = strip + 16 * row_parts, bands = column_parts + 1;
  float* const row_factors = shared;
  float* const column_factors = &shared[64];
  float* const input = &shared[128];
  float* const passed = &input[16 * 164];
  const int rows = (height + 16 * gridDim.y - 1) / (16 * gridDim.y) * 16;
  const int first_x = blockIdx.x * strip, first_y = blockIdx.y * rows, end_y = min(first_y + rows, height);
  if (first_y >= height) return;
  if (threadIdx.x < 64) {
    const int k = threadIdx.x;
    row_factors[k] = k < filter_width ? row[filter_width - 1 - k] : 0;
    column_factors[k] = k < filter_height ? column[filter_height - 1 - k] : 0;
  }
  const int left = first_x - filter_width / 2, lead = 16 * column_parts - filter_height / 2;
  // In the first pass, a thread has sixteen neighbours in a row; in the second, eight in each of two columns.
  const int own_row = threadIdx.x % 16, own_part = threadIdx.x / 16 * 16;
  const int own_column = threadIdx.x % 64 * 2, own_half = threadIdx.x / 64 * 8;
  int places[5];
  columns_from(places, left, width, border);
  float ahead[4][5];
  fetch(ahead, fetched, image, places, left, first_y - filter_height / 2, width, height, border);
  int oldest = 0;
  for (int y = first_y - 16 * column_parts; y < end_y; y += 16) {
    put_down(ahead, fetched, input, 164);
    __syncthreads();
    if (y + 16 < end_y) fetch(ahead, fetched, image, places, left, y + 16 + lead, width, height, border);
    if (own_part < strip) {
      float sums[16] = {};
#pragma unroll 1
      for (int part = 0; part < row_parts; ++part) {
        const float* const from = &input[own_row * 164 + own_part + part * 16];
        float values[32];
        for (int k = 0; k < 32; k += 4) {
          const float4 four = *(const float4*)&from[k];
          values[k] = four.x, values[k + 1] = four.y, values[k + 2] = four.z, values[k + 3] = four.w;
        }
        add_sixteen(sums, values, &row_factors[part * 16]);
      }
      float* const to = &passed[(oldest * 16 + own_row) * 132 + own_part];
      for (int k = 0; k < 16; k += 4) *(float4*)&to[k] = make_float4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
    }
    if (++oldest == bands) oldest = 0;
    __syncthreads();
    if (y < first_y || own_column >= strip) continue;
    float sums[2][8] = {};
    int band = oldest;
#pragma unroll 1
    for (int part = 0; part < column_parts; ++part) {
      const int upper = band;
      if (++band == bands) band = 0;
      float values[2][24];
      for (int k = 0; k < 24; k += 8) {
        const int place = own_half + k < 16 ? upper * 16 + own_half + k : band * 16 + own_half + k - 16;
        for (int p = 0; p < 8; ++p) {
          const float2 two = *(const float2*)&passed[(place + p) * 132 + own_column];
          values[0][k + p] = two.x, values[1][k + p] = two.y;
        }
      }
      add_sixteen(sums[0], values[0], &column_factors[part * 16]);
      add_sixteen(sums[1], values[1], &column_factors[part * 16]);
    }
    const int x = first_x + own_column, own_y = y + own_half;
    float* const to = &output[own_y * width + x];
    if (width % 2 == 0 && x < width && own_y + 8 <= end_y) {
      for (int p = 0; p < 8; ++p) *(float2*)&to[p * width] = make_float2(sums[0][p], sums[1][p]);
    } else {
      for (int p = 0; p < 8; ++p)
        for (int k = 0; k < 2; ++k)
          if (x + k < width && own_y + p < end_y) to[p * width + k] = sums[k][p];
    }
  }
}
