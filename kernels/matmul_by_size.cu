// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// One plan for matrices of every size, with tiles of several. A block has 8 warps. For a large tile of C they
// stand side by side, and each has a part of the tile. For a small tile there is not enough to share: then
// groups of warps, called slices, each compute the whole tile for a part of k, and what they have is added up
// in shared memory at the end.
//
// Blocks go along k in slabs: for each slice, 8 or 16 columns of A and rows of B. There are three buffers.
// While the block multiplies from one, the next is complete or nearly so, and asynchronous copies fill the
// third. A lies in shared memory as in global memory, so a copy moves 16 bytes of it, and one read serves
// four steps along k.
//
// The work of all tiles together is a row of units, one slab of one tile each, tile after tile. Every block
// has an equal share of that row. With one block for each tile, a share is a tile. With as many blocks as
// there are multiprocessors, none of them is ever without work, but shares begin and end inside of tiles. The
// blocks that share a tile then leave their sums in global memory, wait for each other, and each adds up a
// part of the tile.

constexpr int threads = 256, warps = threads / 32;
constexpr int lanes_down = 4, lanes_across = 8;  // how the threads of a warp stand in its part of a tile
constexpr int four = 4;                          // neighbours that are read together: 16 bytes
constexpr int rows_at_once = 2;                  // of a thread, between two reads of A
constexpr int buffers = 3;
constexpr int band_height = 8;                   // tiles, for blocks that run at the same time
constexpr int max_blocks = 160, max_fours = 32;  // that share tiles, and of a thread

// Elements of C for each block, and how its warps share them. `width` elements are copied at once: four where
// all rows begin at a multiple of 16 bytes, otherwise one.
template <int rows_, int columns_, int warps_down, int warps_across_, int width_>
struct Tile {
  static constexpr int rows = rows_, columns = columns_, warps_across = warps_across_, width = width_;
  static constexpr int warps_of_slice = warps_down * warps_across, slices = warps / warps_of_slice;
  // Only then are there registers to spare, for the next rows of b.
  static constexpr bool reads_b_ahead = slices == 1 && width == 4;
  static constexpr int steps = reads_b_ahead ? 4 : 2;                 // of four columns of A, in a slab
  static constexpr int thread_rows = rows / warps_down / lanes_down;  // of C, for each thread,
  static constexpr int thread_columns = columns / warps_across / lanes_across;  // in groups of four columns
  static constexpr int blocks_at_once = thread_rows * thread_columns <= 32 ? 2 : 1;  // on a multiprocessor
  static constexpr int fours = thread_rows * thread_columns / four / slices;  // of C that a thread stores
  static constexpr int depth = slices * steps * four;                         // columns of A in a slab
  static constexpr int a_pitch = depth + 4;  // words; four neighbouring rows begin in different banks
  static constexpr int slab = rows * a_pitch + depth * columns;  // words
};

// Where a thread stands in a tile: its slice, and its first row and column.
template <class Tile>
struct Place {
  int slice, row, column;

  __device__ Place() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % Tile::warps_of_slice;
    slice = threadIdx.x / 32 / Tile::warps_of_slice;
    // Lanes that read the same words are neighbours: shared memory serves them in two cycles, not four.
    row = warp / Tile::warps_across * Tile::thread_rows * lanes_down + lane / 16 * 2 + lane % 2;
    column = warp % Tile::warps_across * Tile::thread_columns * lanes_across + lane / 2 % 8 * four;
  }
};

extern __shared__ __align__(16) float shared[];

__device__ float4 operator+(const float4& x, const float4& y) {
  return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// Starts a copy of `width` elements from global to shared memory, past the registers. If they do not exist it
// writes zeros, and does not read the address.
template <int width>
__device__ void cp_async(unsigned to, const float* from, bool exist) {
  if constexpr (width == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(exist ? 16 : 0));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(exist ? 4 : 0));
}

// The thread's copies since the last commit are a group.
__device__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` groups are still under way.
template <int pending>
__device__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// A thread's part of the copies: the same columns in every a_down-th row of a slab of A, and in every
// b_down-th of B.
template <class Tile>
struct Copies {
  static constexpr int a_across = Tile::depth / Tile::width, b_across = Tile::columns / Tile::width;
  static constexpr int a_down = threads / a_across, b_down = threads / b_across;
  static constexpr int a_count = Tile::rows / a_down, b_count = Tile::depth / b_down;

  const float *A, *B;  // the thread's first elements of the next slab
  unsigned a_to, b_to;
  int rows, a_depth, b_depth;  // how many rows and columns exist from there on
  int n, k;

  // From row `first_row` of A and column `first_column` of B on, for the terms from `first` to `end` of each
  // sum.
  __device__ Copies(const float* A, const float* B, int first_row, int first_column, int first, int end,
                    int m, int n, int k)
      : n(n), k(k) {
    const int a_row = threadIdx.x / a_across, a_column = threadIdx.x % a_across * Tile::width;
    const int b_row = threadIdx.x / b_across, b_column = threadIdx.x % b_across * Tile::width;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    a_to = to + (a_row * Tile::a_pitch + a_column) * 4;
    b_to = to + (Tile::rows * Tile::a_pitch + b_row * Tile::columns + b_column) * 4;
    this->A = A + static_cast<long long>(first_row + a_row) * k + first + a_column;
    this->B = B + static_cast<long long>(first + b_row) * n + first_column + b_column;
    rows = m - first_row - a_row;
    a_depth = end - first - a_column;
    b_depth = first_column + b_column < n ? end - first - b_row : 0;
  }

  // Starts one of `steps` parts of the copy of a slab.
  __device__ void start(int buffer, int part) const {
    const int a_rows = a_depth > 0 ? rows : 0;
#pragma unroll
    for (int i = part; i < a_count; i += Tile::steps)
      cp_async<Tile::width>(a_to + (buffer + i * a_down * Tile::a_pitch) * 4,
                            A + static_cast<long long>(i * a_down) * k, i * a_down < a_rows);
#pragma unroll
    for (int i = part; i < b_count; i += Tile::steps)
      cp_async<Tile::width>(b_to + (buffer + i * b_down * Tile::columns) * 4,
                            B + static_cast<long long>(i * b_down) * n, i * b_down < b_depth);
  }

  __device__ void next_slab() {
    A += Tile::depth;
    B += static_cast<long long>(Tile::depth) * n;
    a_depth -= Tile::depth;
    b_depth -= Tile::depth;
    cp_async_commit_group();
  }
};

// Reads four columns of some rows of a thread.
template <class Tile>
__device__ void read_a(float (&values)[rows_at_once][four], const float* a) {
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i)
    *reinterpret_cast<float4*>(values[i]) =
        *reinterpret_cast<const float4*>(a + i * lanes_down * Tile::a_pitch);
}

// Reads a thread's columns of a row of b.
template <class Tile>
__device__ void read_b(float (&values)[Tile::thread_columns], const float* b) {
#pragma unroll
  for (int j = 0; j < Tile::thread_columns; j += four)
    *reinterpret_cast<float4*>(&values[j]) = *reinterpret_cast<const float4*>(b + j * lanes_across);
}

// Adds the products of `count` slabs to a thread's sums. A thread reads what comes next before it multiplies,
// or, of b, when it is done with the row before. Columns go forwards and backwards in turn: from one
// multiplication to the next only one factor changes.
template <class Tile>
__device__ void multiply_slabs(float (&sums)[Tile::thread_rows][Tile::thread_columns], Copies<Tile> copies,
                               int count) {
  constexpr int groups = Tile::thread_rows / rows_at_once, items = Tile::steps * groups;
  const Place<Tile> place;
  const float* const a = shared + place.row * Tile::a_pitch + place.slice * Tile::steps * four;
  const float* const b =
      shared + Tile::rows * Tile::a_pitch + place.slice * Tile::steps * four * Tile::columns + place.column;
  for (int slab = 0; slab < buffers - 1; ++slab) {
    for (int part = 0; part < Tile::steps; ++part) copies.start(slab * Tile::slab, part);
    copies.next_slab();
  }
  constexpr int sets = Tile::reads_b_ahead ? 2 : 1;
  float a_values[2][rows_at_once][four], b_values[sets][four][Tile::thread_columns];
  cp_async_wait_group<buffers - 2>();
  __syncthreads();
  read_a<Tile>(a_values[0], a);
  for (int i = 0; i < four; ++i) read_b<Tile>(b_values[0][i], b + i * Tile::columns);
  int buffer = 0;
#pragma unroll 1
  for (int slab = 0; slab < count; ++slab) {
    const int next = buffer == 2 * Tile::slab ? 0 : buffer + Tile::slab;
    const int free = buffer == 0 ? 2 * Tile::slab : buffer - Tile::slab;
#pragma unroll
    for (int item = 0; item < items; ++item) {
      const int step = item / groups, group = item % groups, ahead = (item + 1) % items;
      if (item == items - 1) {
        cp_async_wait_group<0>();
        __syncthreads();
      }
      if (group == 0) copies.start(free, step);
      const int from = item < items - 1 ? buffer : next;
      read_a<Tile>(
          a_values[ahead % 2],
          a + from + ahead % groups * rows_at_once * lanes_down * Tile::a_pitch + ahead / groups * four);
      const float* const next_b = b + from + ahead / groups * four * Tile::columns;
#pragma unroll
      for (int i = 0; i < four; ++i)
        if (sets == 2 && group == groups - 1)
          read_b<Tile>(b_values[(step + 1) % sets][i], next_b + i * Tile::columns);
#pragma unroll
      for (int i = 0; i < four; ++i) {
#pragma unroll
        for (int row = 0; row < rows_at_once; ++row)
#pragma unroll
          for (int j = 0; j < Tile::thread_columns; ++j) {
            const int column = row % 2 ? Tile::thread_columns - 1 - j : j;
            sums[group * rows_at_once + row][column] +=
                a_values[item % 2][row][i] * b_values[step % sets][i][column];
          }
        if (sets == 1 && group == groups - 1) read_b<Tile>(b_values[0][i], next_b + i * Tile::columns);
      }
    }
    copies.next_slab();
    buffer = next;
  }
  cp_async_wait_group<0>();
  __syncthreads();
}

// Four of a thread's sums. Adding zero copies them: if they were stored from where they are, they would have
// to lie in neighbouring registers during the multiplications, where they would be in the way of other
// operands.
template <class Tile>
__device__ float4 four_sums(const float (&sums)[Tile::thread_rows][Tile::thread_columns], int i) {
  constexpr int across = Tile::thread_columns / four;
  const float* const first = &sums[i / across][i % across * four];
  return make_float4(0, 0, 0, 0) + make_float4(first[0], first[1], first[2], first[3]);
}

// Adds up the sums of all slices. A thread gets every `slices`-th four of those that it has a part of.
template <class Tile>
__device__ void add_slices(float4 (&values)[Tile::fours],
                           const float (&sums)[Tile::thread_rows][Tile::thread_columns]) {
  constexpr int threads_of_slice = threads / Tile::slices, all = Tile::fours * Tile::slices;
  float4* const of_thread = reinterpret_cast<float4*>(shared) + threadIdx.x % threads_of_slice;
  const int slice = threadIdx.x / threads_of_slice;
#pragma unroll
  for (int i = 0; i < all; ++i) {
    if (Tile::slices == 1)
      values[i % Tile::fours] = four_sums<Tile>(sums, i);
    else
      of_thread[(slice * all + i) * threads_of_slice] = four_sums<Tile>(sums, i);
  }
  if (Tile::slices == 1) return;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Tile::fours; ++i) {
    values[i] = make_float4(0, 0, 0, 0);
    for (int from = 0; from < Tile::slices; ++from)
      values[i] = values[i] + of_thread[(from * all + i * Tile::slices + slice) * threads_of_slice];
  }
  __syncthreads();
}

// Stores the i-th four of a thread, in the tile that begins at (first_row, first_column) of C.
template <class Tile>
__device__ void store_four(float* C, const float4& value, int i, int first_row, int first_column, int m,
                           int n) {
  constexpr int across = Tile::thread_columns / four;
  const Place<Tile> place;
  const int four_of_slice = i * Tile::slices + place.slice;
  const int row = first_row + place.row + four_of_slice / across * lanes_down;
  const int column = first_column + place.column + four_of_slice % across * lanes_across * four;
  if (row >= m) return;
  float* const to = C + static_cast<long long>(row) * n + column;
  if (Tile::width == 4) {
    if (column < n) *reinterpret_cast<float4*>(to) = value;
  } else {
    if (column < n) to[0] = value.x;
    if (column + 1 < n) to[1] = value.y;
    if (column + 2 < n) to[2] = value.z;
    if (column + 3 < n) to[3] = value.w;
  }
}

// What blocks that share tiles leave for each other: each has one place for the tile in which its share ends,
// and one for a tile that began before it.
__device__ float4 partial_sums[max_blocks][2][max_fours * threads];

// For each block, how many have done their part of the tile in which its share ends: first of leaving sums,
// then of adding them up. Zero before and after each launch.
__device__ int done[max_blocks];

// All work, and the shares of it.
struct Work {
  int tiles_down, tiles_across, slabs;

  __device__ long long units() const { return static_cast<long long>(tiles_down) * tiles_across * slabs; }
  __device__ int first_unit(int block) const { return units() * block / gridDim.x; }
  __device__ int block_of(int unit) const { return ((unit + 1LL) * gridDim.x - 1) / units(); }

  // Blocks that run at the same time share a band of 8 rows of tiles, not one, so that more of what they
  // fetch is in the L2 cache.
  __device__ void find_tile(int tile, int& row, int& column) const {
    const int band = band_height * tiles_across, first_in_band = tile / band * band_height;
    const int height = min(band_height, tiles_down - first_in_band);
    row = first_in_band + tile % band % height;
    column = tile % band / height;
  }
};

// Adds up this block's part of a tile that it shared, when all have left their sums.
template <class Tile>
__device__ void add_shared_tile(float* C, const Work& work, int tile, int m, int n) {
  const int first = work.block_of(tile * work.slabs), last = work.block_of((tile + 1) * work.slabs - 1);
  const int count = last - first + 1;
  if (threadIdx.x == 0) {
    while (atomicAdd(&done[first], 0) < count) continue;
    __threadfence();
  }
  __syncthreads();
  int row, column;
  work.find_tile(tile, row, column);
  constexpr int most = (Tile::fours + 1) / 2;  // at least two blocks share a tile
  float4 values[most] = {};
  for (int block = first; block <= last; ++block) {
#pragma unroll
    for (int j = 0; j < most; ++j) {
      const int i = blockIdx.x - first + j * count;
      if (i < Tile::fours)
        values[j] = values[j] + __ldcg(&partial_sums[block][block == first][i * threads + threadIdx.x]);
    }
  }
#pragma unroll
  for (int j = 0; j < most; ++j) {
    const int i = blockIdx.x - first + j * count;
    if (i < Tile::fours) store_four<Tile>(C, values[j], i, row * Tile::rows, column * Tile::columns, m, n);
  }
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&done[first], 1) == 2 * count - 1) done[first] = 0;
}

// Expects blocks of 256 threads: one for each tile, or at most as many as the device can hold at once and
// max_blocks. Shared memory has to hold three slabs and, with more than one slice, the sums of all threads.
template <int rows, int columns, int warps_down, int warps_across, int width>
__global__ void __launch_bounds__(threads,
                                  Tile<rows, columns, warps_down, warps_across, width>::blocks_at_once)
    matmul_by_size(const float* A, const float* B, float* C, int m, int n, int k) {
  using T = Tile<rows, columns, warps_down, warps_across, width>;
  const Work work{(m + rows - 1) / rows, (n + columns - 1) / columns, (k + T::depth - 1) / T::depth};
  const int end = work.first_unit(blockIdx.x + 1);
  for (int unit = work.first_unit(blockIdx.x); unit < end;) {
    const int tile = unit / work.slabs, first = unit % work.slabs;
    const int count = min(work.slabs - first, end - unit);
    int row, column;
    work.find_tile(tile, row, column);
    float sums[T::thread_rows][T::thread_columns] = {};
    multiply_slabs<T>(sums,
                      Copies<T>(A, B, row * rows, column * columns, first * T::depth,
                                min(k, (first + count) * T::depth), m, n, k),
                      count);
    float4 values[T::fours];
    add_slices<T>(values, sums);
    if (count == work.slabs) {
#pragma unroll
      for (int i = 0; i < T::fours; ++i) store_four<T>(C, values[i], i, row * rows, column * columns, m, n);
    } else {
#pragma unroll
      for (int i = 0; i < T::fours; ++i)
        partial_sums[blockIdx.x][first == 0][i * threads + threadIdx.x] = values[i];
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicAdd(&done[work.block_of(tile * work.slabs)], 1);
    }
    unit += count;
  }
  const int begin = work.first_unit(blockIdx.x);
  const int tile_before = begin / work.slabs, tile_after = end / work.slabs;
  const bool began_inside = begin % work.slabs > 0, ends_inside = end % work.slabs > 0;
  if (began_inside) add_shared_tile<T>(C, work, tile_before, m, n);
  if (ends_inside && !(began_inside && tile_after == tile_before))
    add_shared_tile<T>(C, work, tile_after, m, n);
}

// The tiles that there are, each for rows that begin at a multiple of 16 bytes and for others.
template __global__ void matmul_by_size<32, 32, 1, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<32, 32, 1, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<64, 64, 1, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<64, 64, 1, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<128, 64, 2, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<128, 64, 2, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<256, 128, 4, 2, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<256, 128, 4, 2, 1>(const float*, const float*, float*, int, int, int);
