// output(x, y) = the sum over i, j of
//   filter(i, j) * image(x + filter_width / 2 - i, y + filter_height / 2 - j)
//
// Convolution as a matrix product with a Toeplitz matrix, on tensor cores, which multiply numbers of 11
// significant bits (float16) and add in float32. With one row of the filter, f0 to f15, flipped, eight
// neighbours in a row of the output are a product of 24 pixels and a banded Toeplitz matrix:
//
//                              | f0               |
//                              | f1  f0           |
//                              | :   f1  .        |
//   [ p0 p1 p2 ... p22 p23 ] x | f15 :    .   f0  |
//                              |     f15      f1  |
//                              |          .   :   |
//                              |              f15 |
//                              |               0  |
//
// Sixteen rows of the output take sixteen rows of pixels and the same matrix: mma.sync m16n8k16 for 16 of the
// 24 rows of the matrix, and m16n8k8 for the other 8. ldmatrix reads pixels as 8 x 8 submatrices, three for each
// Toeplitz matrix. A submatrix of pixels serves three of the output and two rows of the filter. A third of the matrix
// is zeros, and the filter is padded with zeros to 16 columns: for 15 x 15, 225 of 360 multiplications count.
// It is faster all the same: an mma.sync makes 2048 or 1024 products, and a multiply-add of a warp makes 32.
//
//   block tile 64 x 64      warp tile 32 x 32        rows, and which of two mma.sync has them
//   +--------+--------+     +----+----+----+----+
//   | warp 0 | warp 1 |     |    |    |    |    |    8, the first
//   +--------+--------+     +----+----+----+----+
//   | warp 2 | warp 3 |     |    |    |    |    |    8, the second
//   +--------+--------+     +----+----+----+----+
//                           |    |    |    |    |    8, the first
//                           +----+----+----+----+
//                           |    |    |    |    |    8, the second
//                           +----+----+----+----+
//                             8    8    8    8
//
// Error-compensated (Ootomo and Yokota 2022): a float32 has 24 significant bits, so each operand is split
// into two float16 numbers, high + low, and
//
//   a b = low_a high_b + high_a low_b + high_a high_b   (left out: low_a low_b, less than 2^-22 of a b)
//
// float16 has a small range. So the pixels of a tile are multiplied by a power of two that brings the largest
// of them to between 2^14 and 2^15, and so are the elements of the filter; the sums are multiplied by the
// inverses. A number is then off by at most 2^-23 of itself or 2^-38 of the largest one. Expects finite
// numbers, and pixels below 2^100: an infinity becomes NaN, and makes NaNs of outputs near it. Needs compute
// capability 8.0.

constexpr int part_side = 16;                     // rows and columns of the filter that are taken at once
constexpr int submatrix = 8;                      // rows and columns
constexpr int warps_across = 2, warps_down = 2;   // in a block
constexpr int warp_width = 32, warp_height = 32;  // warp tile
constexpr int threads = 32 * warps_across * warps_down;
constexpr int blocks_per_multiprocessor = 4;  // so that a thread has at most 128 registers
constexpr int block_width = warps_across * warp_width, block_height = warps_down * warp_height;  // block tile
constexpr int tile_width = block_width + part_side, tile_height = block_height + part_side - 1;
// Words of two float16 from row to row. The padding makes it an odd multiple of 16 bytes, so that eight rows
// of a submatrix are in different banks.
constexpr int pitch = tile_width / 2 + 4;
// A thread loads one vector of the tile in every row_stride-th row; a few threads load nothing.
constexpr int vector_width = 4;  // pixels of a 16-byte load
constexpr int vectors_per_row = tile_width / vector_width, row_stride = threads / vectors_per_row;
constexpr int loads = (tile_height + row_stride - 1) / row_stride;  // of a thread
constexpr int pairs = warp_width / (2 * submatrix);  // of submatrices of the output, side by side

// Returns the larger of two magnitudes, as bits: the bits of magnitudes compare as the magnitudes do.
__device__ unsigned larger_magnitude(unsigned bits, float value) {
  return max(bits, __float_as_uint(value) & 0x7fffffffu);
}

// Power of two that brings the largest magnitude into [2^14, 2^15), but at most 2^126; and its inverse.
struct Scale {
  float factor, inverse;
};

// Returns the scale for this largest magnitude.
__device__ Scale scale_of(unsigned largest) {
  const unsigned exponent = max(largest >> 23, 15u);
  return {__uint_as_float((254 + 14 - exponent) << 23), __uint_as_float((exponent - 14) << 23)};
}

// Rounds to 11 significant bits: adds half a unit in the last place, and truncates the 13 bits below it.
__device__ float high_part(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}

// Rounds two numbers to float16, in one register.
__device__ unsigned float16_pair(float first, float second) {
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

// Splits two neighbours: x = high + low.
__device__ void split(float first, float second, unsigned& high, unsigned& low) {
  high = float16_pair(high_part(first), high_part(second));
  low = float16_pair(first - high_part(first), second - high_part(second));
}

// Returns an element of the flipped filter, or zero beyond the part and beyond the filter.
__device__ float element(const float* filter, int i, int j, int first_i, int first_j, int width, int height) {
  const int column = width - 1 - (first_i + i), row = height - 1 - (first_j + j);
  return i >= 0 && i < part_side && column >= 0 && column < width && row >= 0 ? filter[row * width + column]
                                                                              : 0;
}

// Makes the Toeplitz matrices, one warp for each row of the filter; block x, y makes those of part x, y.
// A lane of the other kernel reads its numbers of the matrix's three submatrices as two vectors of 16 bytes:
// high[0], high[1], high[1], high[2], and the same of low. Lane l has column l / 4, rows 2 (l % 4) and
// 2 (l % 4) + 1 of each submatrix. `inverse` becomes the inverse of the filter's scale. Expects 16 warps.
__global__ void convolution_matrices(const float* filter, unsigned* matrices, float* inverse,
                                     int filter_width, int filter_height) {
  __shared__ unsigned largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  unsigned thread_largest = 0;
  for (int i = threadIdx.x; i < filter_width * filter_height; i += blockDim.x)
    thread_largest = larger_magnitude(thread_largest, filter[i]);
  atomicMax(&largest, thread_largest);
  __syncthreads();
  const Scale scale = scale_of(largest);
  if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0) *inverse = scale.inverse;

  const int lane = threadIdx.x % 32, row = threadIdx.x / 32;
  const int padding = (vector_width - filter_width / 2 % vector_width) % vector_width;
  const int first_i = blockIdx.x * part_side - padding;
  unsigned high[3], low[3];
  for (int k = 0; k < 3; ++k) {
    const int i = k * submatrix + lane % 4 * 2 - lane / 4, first_j = blockIdx.y * part_side;
    split(element(filter, i, row, first_i, first_j, filter_width, filter_height) * scale.factor,
          element(filter, i + 1, row, first_i, first_j, filter_width, filter_height) * scale.factor, high[k],
          low[k]);
  }
  const int part = blockIdx.y * gridDim.x + blockIdx.x;
  uint4* const to = reinterpret_cast<uint4*>(matrices) + ((part * part_side + row) * 32 + lane) * 2;
  to[0] = make_uint4(high[0], high[1], high[1], high[2]);
  to[1] = make_uint4(low[0], low[1], low[1], low[2]);
}

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

// Loads four pixels of a row of the image, or zeros where there is no such row or column.
__device__ float4 load_vector(const float* image, const int (&columns)[vector_width], int row, int width) {
  float values[vector_width];
  for (int k = 0; k < vector_width; ++k)
    values[k] = row >= 0 && columns[k] >= 0 ? image[row * width + columns[k]] : 0;
  return make_float4(values[0], values[1], values[2], values[3]);
}

// Loads the tile to registers. A thread starts all its loads before it waits for the first. If all of the
// tile is inside and rows begin at multiples of 16 bytes, loads are vectorised. `left` is a multiple of four.
__device__ void load_tile(float4 (&pixels)[loads], const float* image, int left, int top, int width,
                          int height, int border) {
  const int first = threadIdx.x / vectors_per_row, x = left + threadIdx.x % vectors_per_row * vector_width,
            y = top + first;
  const int end = first < row_stride ? tile_height - first : 0;
  if (width % vector_width == 0 && left >= 0 && top >= 0 && left + tile_width <= width &&
      top + tile_height <= height) {
    const float* const from = &image[y * width + x];
#pragma unroll
    for (int k = 0; k < loads; ++k)
      pixels[k] = k * row_stride < end ? *reinterpret_cast<const float4*>(&from[k * row_stride * width])
                                       : make_float4(0, 0, 0, 0);
  } else {
    int columns[vector_width];
    for (int k = 0; k < vector_width; ++k) columns[k] = border_index(x + k, width, border);
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int row = k * row_stride < end ? border_index(y + k * row_stride, height, border) : -1;
      pixels[k] = load_vector(image, columns, row, width);
    }
  }
}

// Splits the pixels of the tile, and stores their high and low parts to shared memory.
__device__ void store_tile(const float4 (&pixels)[loads], unsigned* high, unsigned* low, float factor) {
  const int first = threadIdx.x / vectors_per_row, offset = first * pitch + threadIdx.x % vectors_per_row * 2;
  const int end = first < row_stride ? tile_height - first : 0;
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    if (k * row_stride >= end) break;
    uint2 highs, lows;
    split(pixels[k].x * factor, pixels[k].y * factor, highs.x, lows.x);
    split(pixels[k].z * factor, pixels[k].w * factor, highs.y, lows.y);
    *reinterpret_cast<uint2*>(&high[offset + k * row_stride * pitch]) = highs;
    *reinterpret_cast<uint2*>(&low[offset + k * row_stride * pitch]) = lows;
  }
}

// Four submatrices of pixels, the fragment of a for mma.sync: two side by side, and two more 16 rows below.
// Lane l has row l / 4 of each, columns 2 (l % 4) and 2 (l % 4) + 1.
struct Pixels {
  unsigned upper_left, lower_left, upper_right, lower_right;
};

// Reads four submatrices. Lane l passes the address of row l % 8 of submatrix l / 8.
__device__ Pixels ldmatrix(const unsigned* from) {
  Pixels p;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(p.upper_left), "=r"(p.lower_left), "=r"(p.upper_right), "=r"(p.lower_right)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))));
  return p;
}

// Computes c += a b for 16 x 16 numbers of a and 16 x 8 of b, by a whole warp.
// Lane l's numbers of c are in rows l / 4 and l / 4 + 8, columns 2 (l % 4) and 2 (l % 4) + 1.
__device__ void mma_16(float (&c)[4], const Pixels& a, uint2 b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.upper_left), "r"(a.lower_left), "r"(a.upper_right), "r"(a.lower_right), "r"(b.x), "r"(b.y));
}

// Computes c += a b for 16 x 8 numbers of a and 8 x 8 of b.
__device__ void mma_8(float (&c)[4], unsigned upper, unsigned lower, unsigned b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(upper), "r"(lower), "r"(b));
}

// Sums of two submatrices of the output side by side, and of two more 16 rows below.
struct Sums {
  float left[4], right[4];
};

// Adds the products of four submatrices of pixels, side by side, with a row's Toeplitz matrix.
// The left sums take the first three submatrices, the right sums the last three.
__device__ void add_products(Sums& sums, const Pixels& first, const Pixels& second, const uint4& matrix) {
  const uint2 first_two = make_uint2(matrix.x, matrix.y), last_two = make_uint2(matrix.z, matrix.w);
  mma_16(sums.left, first, first_two);
  mma_16(sums.right, second, last_two);
  mma_8(sums.left, second.upper_left, second.lower_left, last_two.y);
  mma_8(sums.right, first.upper_right, first.lower_right, first_two.x);
}

// Adds the products of the tile in shared memory with a part of the filter.
// A tensor core truncates where float32 would round. So its sums cover only two rows of the filter. They
// begin at zero, are multiplied by the inverse of the pixels' scale, and are added in float32, rounded, to the
// sums before.
__device__ void add_part(Sums (&sums)[pairs][2], const unsigned* high_parts, const unsigned* low_parts,
                         const uint4* matrices, int rows, float inverse) {
#pragma unroll 1
  for (int j = 0; j < min(submatrix, rows); ++j) {
    // Filter rows j and j + 8: row j + 8 takes the pixels that row j takes for the outputs 8 rows further down.
    uint4 high[2], low[2];
    for (int k = 0; k < 2; ++k) {
      high[k] = matrices[(j + k * submatrix) * 32 * 2];
      low[k] = matrices[(j + k * submatrix) * 32 * 2 + 1];
    }
    Pixels high_pixels[pairs + 1][3], low_pixels[pairs + 1][3];
#pragma unroll
    for (int x = 0; x <= pairs; ++x) {
      for (int k = 0; k < 3; ++k) {
        high_pixels[x][k] = ldmatrix(&high_parts[(j + k * submatrix) * pitch + x * submatrix]);
        low_pixels[x][k] = ldmatrix(&low_parts[(j + k * submatrix) * pitch + x * submatrix]);
      }
      if (x == 0) continue;
      Sums c[2] = {};
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (j + k * submatrix >= rows) continue;
        for (int y = 0; y < 2; ++y)
          add_products(c[y], low_pixels[x - 1][y + k], low_pixels[x][y + k], high[k]);
        for (int y = 0; y < 2; ++y)
          add_products(c[y], high_pixels[x - 1][y + k], high_pixels[x][y + k], low[k]);
        for (int y = 0; y < 2; ++y)
          add_products(c[y], high_pixels[x - 1][y + k], high_pixels[x][y + k], high[k]);
      }
      for (int y = 0; y < 2; ++y) {
        for (int k = 0; k < 4; ++k) {
          sums[x - 1][y].left[k] += c[y].left[k] * inverse;
          sums[x - 1][y].right[k] += c[y].right[k] * inverse;
        }
      }
    }
  }
}

// Stores the sums of a warp, times the inverse of the filter's scale, to the output from (x, y) on. Two
// neighbours take one store if rows begin at multiples of 8 bytes.
__device__ void store_sums(float* output, const Sums (&sums)[pairs][2], float inverse, int x, int y,
                           int width, int height) {
  const bool is_inside = width % 2 == 0 && x + warp_width <= width && y + warp_height <= height;
  x += threadIdx.x % 4 * 2;
  y += threadIdx.x % 32 / 4;
#pragma unroll
  for (int i = 0; i < 8 * pairs; ++i) {
    const int pair = i / 8, row = i / 4 % 2, half = i / 2 % 2, side = i % 2;
    const Sums& submatrices = sums[pair][row];
    const float first = (side == 0 ? submatrices.left[2 * half] : submatrices.right[2 * half]) * inverse;
    const float second = (side == 0 ? submatrices.left[2 * half + 1] : submatrices.right[2 * half + 1]) * inverse;
    const int to_x = x + (2 * pair + side) * submatrix, to_y = y + (row + 2 * half) * submatrix;
    float* const to = &output[to_y * width + to_x];
    if (is_inside) {
      *reinterpret_cast<float2*>(to) = make_float2(first, second);
    } else if (to_y < height) {
      if (to_x < width) to[0] = first;
      if (to_x + 1 < width) to[1] = second;
    }
  }
}

// Expects blocks of 128 threads. Uses 2 * tile_height * pitch * 4 = 27 808 bytes of shared memory.
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    convolution_tensor_cores(const float* image, const unsigned* matrices, const float* inverse,
                             float* output, int width, int height, int filter_width, int filter_height,
                             int border) {
  __shared__ __align__(16) unsigned high_parts[tile_height * pitch], low_parts[tile_height * pitch];
  __shared__ unsigned largest;  // magnitude, as bits
  const int first_x = blockIdx.x * block_width, first_y = blockIdx.y * block_height;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_x = warp % warps_across * warp_width, warp_y = warp / warps_across * warp_height;
  // Offset of this lane's row of the first four submatrices.
  const int lane_offset =
      (warp_y + lane % 8 + lane / 8 % 2 * 2 * submatrix) * pitch + (warp_x + lane / 16 * submatrix) / 2;
  const uint4* lane_matrices = reinterpret_cast<const uint4*>(matrices) + lane * 2;
  // Columns of padding, so that a tile begins at a multiple of vector_width.
  const int padding = (vector_width - filter_width / 2 % vector_width) % vector_width;

  Sums sums[pairs][2] = {};
  for (int first_j = 0; first_j < filter_height; first_j += part_side) {
    for (int first_i = -padding; first_i < filter_width; first_i += part_side) {
      if (threadIdx.x == 0) largest = 0;
      float4 pixels[loads];
      load_tile(pixels, image, first_x - filter_width / 2 + first_i, first_y - filter_height / 2 + first_j,
                width, height, border);
      unsigned warp_largest = 0;
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        warp_largest = larger_magnitude(larger_magnitude(warp_largest, pixels[k].x), pixels[k].y);
        warp_largest = larger_magnitude(larger_magnitude(warp_largest, pixels[k].z), pixels[k].w);
      }
      warp_largest = __reduce_max_sync(0xffffffff, warp_largest);
      __syncthreads();  // before this tile replaces the last one
      if (lane == 0) atomicMax(&largest, warp_largest);
      __syncthreads();
      const Scale scale = scale_of(largest);
      store_tile(pixels, high_parts, low_parts, scale.factor);
      __syncthreads();
      add_part(sums, &high_parts[lane_offset], &low_parts[lane_offset], lane_matrices,
               min(part_side, filter_height - first_j), scale.inverse);
      lane_matrices += part_side * 32 * 2;  // those of the next part
    }
  }
  store_sums(output, sums, *inverse, first_x + warp_x, first_y + warp_y, width, height);
}
