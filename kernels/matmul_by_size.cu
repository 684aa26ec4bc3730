// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// After matmul_async_copies. New: larger thread tiles, whose next fragments are read in advance; several block
// tiles, stream-K, and split-K in a block. Next: matmul_tensor_cores.cu.
//
// Stream-K (Osama et al. 2023) for matrices of every size, with block tiles of several sizes. An iteration of
// the main loop multiplies one stage of one tile. The iterations of all tiles form one sequence, and every
// block has an equal share of it. With one block per tile, a share is a tile: the data-parallel schedule.
// There the last wave of blocks may be nearly empty (wave quantisation): on 132 multiprocessors, 133 tiles
// take as long as 264. With one block per multiprocessor, all finish together, but shares begin and end inside
// tiles. Then blocks that share a tile leave partial sums in global memory, wait for each other, and each
// adds up a part of the tile. (In the paper one block adds up all of it.) Here 2 blocks share 3 tiles of 4
// iterations:
//
//   tile         |       0       |       1       |       2       |
//   iteration    | 0   1   2   3 | 4   5   6   7 | 8   9  10  11 |
//   block        |           0           |           1           |
//
// All 8 warps share a large tile. A small tile has too little work for that. It uses split-K inside the block
// (CUTLASS: sliced-K): groups of warps, called slices, each compute the whole tile for their part of every
// stage, and add up in shared memory at the end. A small tile has 2 to 8 slices.
//
//   block tile 256 x 128 (BM x BN)   warp tile 64 x 64      lanes of a piece of 4 x 32 elements:
//   +-----------+-----------+        +--------+--------+    each has four neighbours in a row
//   |  warp 0   |  warp 1   |        | 4 x 32 | 4 x 32 |      0   2   4  ...  14
//   +-----------+-----------+        +--------+--------+      1   3   5  ...  15
//   |  warp 2   |  warp 3   |        | 4 x 32 | 4 x 32 |     16  18  20  ...  30
//   +-----------+-----------+        +--------+--------+     17  19  21  ...  31
//   |  4 and 5, 6 and 7     |        |        :        |
//
// A warp tile is 16 x 2 such pieces. A lane has its four elements of each: a thread tile of 16 x 8 (TM x TN).
// With 8 x 8 sums, 64 multiplications take 16 reads of shared memory, and with 16 x 8 sums 12.
//
// Multistage pipeline of asynchronous copies (cp.async), with three stages in shared memory:
//
//   iteration         0           1           2           3
//   multiplies     stage 0     stage 1     stage 2     stage 0
//   starts copy    stage 2     stage 0     stage 1     stage 2
//
// A lies in shared memory as in global memory, so a copy moves 16 bytes of it, and one read of 16 bytes
// serves four values of k.

constexpr int threads = 256, warps = threads / 32;
constexpr int lanes_down = 4, lanes_across = 8;  // of a warp, in its tile
constexpr int vector_width = 4;                  // floats of a vector load: 16 bytes
constexpr int a_fragment_rows = 2;               // rows of a thread tile in one fragment of A
constexpr int stages = 3;
constexpr int group_height = 8;          // tiles
constexpr int max_sharing_blocks = 160;  // blocks that share tiles
constexpr int max_vectors = 32;          // vectors of C that a thread stores

// Tile of C for each block, and how its warps share it. A copy moves `copy_width` elements: four where all
// rows begin at a multiple of 16 bytes, otherwise one.
template <int rows_, int columns_, int warps_down, int warps_across_, int copy_width_>
struct BlockTile {
  static constexpr int rows = rows_, columns = columns_;  // BM, BN
  static constexpr int warps_across = warps_across_, copy_width = copy_width_;
  static constexpr int warps_per_slice = warps_down * warps_across, slices = warps / warps_per_slice;
  // Only the large tiles with copies of 16 bytes prefetch a second fragment of B. They run one block per
  // multiprocessor, with up to 255 registers per thread; two blocks of a small tile leave 128 each.
  static constexpr bool prefetches_b = slices == 1 && copy_width == vector_width;
  static constexpr int steps = prefetches_b ? 4 : 2;  // along k in a stage, of vector_width columns of A
  static constexpr int thread_rows = rows / warps_down / lanes_down;            // TM
  static constexpr int thread_columns = columns / warps_across / lanes_across;  // TN
  static constexpr int blocks_per_multiprocessor = thread_rows * thread_columns <= 64 ? 2 : 1;
  static constexpr int vectors = thread_rows * thread_columns / vector_width / slices;  // of a thread
  static constexpr int depth = slices * steps * vector_width;  // BK: columns of A and rows of B in a stage
  static constexpr int a_pitch = depth + vector_width;  // padding: 4 neighbouring rows begin in different banks
  static constexpr int stage_size = rows * a_pitch + depth * columns;  // in floats
};

// Slice of a thread, and where its tile begins in the block tile.
template <class Tile>
struct ThreadTile {
  int slice, row, column;

  __device__ ThreadTile() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % Tile::warps_per_slice;
    slice = threadIdx.x / 32 / Tile::warps_per_slice;
    // Lanes that read the same words are neighbours: shared memory serves them in two passes, not four.
    row = warp / Tile::warps_across * Tile::thread_rows * lanes_down + lane / 16 * 2 + lane % 2;
    column = warp % Tile::warps_across * Tile::thread_columns * lanes_across +
             lane / 2 % lanes_across * vector_width;
  }
};

extern __shared__ __align__(16) float shared[];

// Adds two vectors.
__device__ float4 operator+(const float4& x, const float4& y) {
  return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// Starts an asynchronous copy of `width` floats to shared memory. Out of bounds it writes zeros.
template <int width>
__device__ void cp_async(unsigned to, const float* from, bool in_bounds) {
  if constexpr (width == vector_width)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(in_bounds ? 16 : 0));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(in_bounds ? 4 : 0));
}

// Groups the thread's copies since the last commit.
__device__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` groups are in flight.
template <int pending>
__device__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Copies of a thread for each stage: the same columns in every a_row_stride-th row of A, and in every
// b_row_stride-th of B.
template <class Tile>
struct StageCopies {
  static constexpr int a_vectors_per_row = Tile::depth / Tile::copy_width;
  static constexpr int b_vectors_per_row = Tile::columns / Tile::copy_width;
  static constexpr int a_row_stride = threads / a_vectors_per_row, b_row_stride = threads / b_vectors_per_row;
  static constexpr int a_count = Tile::rows / a_row_stride, b_count = Tile::depth / b_row_stride;

  const float *A, *B;  // the thread's first elements of the next stage
  unsigned a_to, b_to;         // addresses in shared memory, in the first stage
  int rows, a_depth, b_depth;  // rows of A, columns of A and rows of B that are in bounds from there on
  int n, k;

  // Begins at row `first_row` of A and column `first_column` of B, for the terms from `first` to `end`.
  __device__ StageCopies(const float* A, const float* B, int first_row, int first_column, int first, int end,
                         int m, int n, int k)
      : n(n), k(k) {
    const int a_row = threadIdx.x / a_vectors_per_row;
    const int a_column = threadIdx.x % a_vectors_per_row * Tile::copy_width;
    const int b_row = threadIdx.x / b_vectors_per_row;
    const int b_column = threadIdx.x % b_vectors_per_row * Tile::copy_width;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    a_to = to + (a_row * Tile::a_pitch + a_column) * 4;
    b_to = to + (Tile::rows * Tile::a_pitch + b_row * Tile::columns + b_column) * 4;
    this->A = A + static_cast<long long>(first_row + a_row) * k + first + a_column;
    this->B = B + static_cast<long long>(first + b_row) * n + first_column + b_column;
    rows = m - first_row - a_row;
    a_depth = end - first - a_column;
    b_depth = first_column + b_column < n ? end - first - b_row : 0;
  }

  // Starts one of `steps` parts of the copies to the stage that begins at this offset.
  __device__ void start(int stage, int part) const {
    const int a_rows = a_depth > 0 ? rows : 0;
#pragma unroll
    for (int i = part; i < a_count; i += Tile::steps)
      cp_async<Tile::copy_width>(a_to + (stage + i * a_row_stride * Tile::a_pitch) * 4,
                                 A + static_cast<long long>(i * a_row_stride) * k, i * a_row_stride < a_rows);
#pragma unroll
    for (int i = part; i < b_count; i += Tile::steps)
      cp_async<Tile::copy_width>(b_to + (stage + i * b_row_stride * Tile::columns) * 4,
                                 B + static_cast<long long>(i * b_row_stride) * n,
                                 i * b_row_stride < b_depth);
  }

  // Commits the copies of this stage, and goes on to the next.
  __device__ void commit_and_advance() {
    A += Tile::depth;
    B += static_cast<long long>(Tile::depth) * n;
    a_depth -= Tile::depth;
    b_depth -= Tile::depth;
    cp_async_commit_group();
  }
};

// Reads a fragment of A: vector_width columns of some rows of a thread tile.
template <class Tile>
__device__ void read_a_fragment(float (&fragment)[a_fragment_rows][vector_width], const float* a) {
#pragma unroll
  for (int i = 0; i < a_fragment_rows; ++i)
    *reinterpret_cast<float4*>(fragment[i]) =
        *reinterpret_cast<const float4*>(a + i * lanes_down * Tile::a_pitch);
}

// Reads a row of a fragment of B: the columns of a thread tile.
template <class Tile>
__device__ void read_b_row(float (&row)[Tile::thread_columns], const float* b) {
#pragma unroll
  for (int j = 0; j < Tile::thread_columns; j += vector_width)
    *reinterpret_cast<float4*>(&row[j]) = *reinterpret_cast<const float4*>(b + j * lanes_across);
}

// Runs iterations of the main loop. Each adds the products of one stage to the sums of a thread, in Tile::steps
// steps along k. A step has one fragment of B, vector_width rows, and `groups` fragments of A, two rows each.
// Register double buffering: a thread reads the next fragments before it multiplies these. If registers
// hold only one fragment of B, the thread overwrites each row after its use with a row of the next fragment.
template <class Tile>
__device__ void run_main_loop(float (&sums)[Tile::thread_rows][Tile::thread_columns],
                              StageCopies<Tile> copies, int iterations) {
  constexpr int groups = Tile::thread_rows / a_fragment_rows, fragments = Tile::steps * groups;
  constexpr int last_stage = (stages - 1) * Tile::stage_size;
  const ThreadTile<Tile> thread_tile;
  const float* const a =
      shared + thread_tile.row * Tile::a_pitch + thread_tile.slice * Tile::steps * vector_width;
  const float* const b = shared + Tile::rows * Tile::a_pitch +
                         thread_tile.slice * Tile::steps * vector_width * Tile::columns + thread_tile.column;
  for (int stage = 0; stage < stages - 1; ++stage) {
    for (int part = 0; part < Tile::steps; ++part) copies.start(stage * Tile::stage_size, part);
    copies.commit_and_advance();
  }
  constexpr int b_fragments = Tile::prefetches_b ? 2 : 1;
  float a_fragment[2][a_fragment_rows][vector_width];
  float b_fragment[b_fragments][vector_width][Tile::thread_columns];
  cp_async_wait_group<stages - 2>();
  __syncthreads();
  read_a_fragment<Tile>(a_fragment[0], a);
  for (int i = 0; i < vector_width; ++i) read_b_row<Tile>(b_fragment[0][i], b + i * Tile::columns);
  int stage = 0;  // as an offset in shared memory, in floats
#pragma unroll 1
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const int next_stage = stage == last_stage ? 0 : stage + Tile::stage_size;
    const int free_stage = stage == 0 ? last_stage : stage - Tile::stage_size;
#pragma unroll
    for (int fragment = 0; fragment < fragments; ++fragment) {
      const int step = fragment / groups, group = fragment % groups, next = (fragment + 1) % fragments;
      if (fragment == fragments - 1) {
        cp_async_wait_group<0>();  // not for the copies of this iteration, which have no group yet
        __syncthreads();
      }
      if (group == 0) copies.start(free_stage, step);
      const int from = fragment < fragments - 1 ? stage : next_stage;
      read_a_fragment<Tile>(a_fragment[next % 2],
                            a + from + next % groups * a_fragment_rows * lanes_down * Tile::a_pitch +
                                next / groups * vector_width);
      const float* const next_b = b + from + next / groups * vector_width * Tile::columns;
#pragma unroll
      for (int i = 0; i < vector_width; ++i)
        if (b_fragments == 2 && group == groups - 1)
          read_b_row<Tile>(b_fragment[(step + 1) % b_fragments][i], next_b + i * Tile::columns);
#pragma unroll
      for (int i = 0; i < vector_width; ++i) {
#pragma unroll
        for (int row = 0; row < a_fragment_rows; ++row)
#pragma unroll
          for (int j = 0; j < Tile::thread_columns; ++j) {
            // Serpentine order: from one multiplication to the next only one factor changes.
            const int column = row % 2 ? Tile::thread_columns - 1 - j : j;
            sums[group * a_fragment_rows + row][column] +=
                a_fragment[fragment % 2][row][i] * b_fragment[step % b_fragments][i][column];
          }
        if (b_fragments == 1 && group == groups - 1)
          read_b_row<Tile>(b_fragment[0][i], next_b + i * Tile::columns);
      }
    }
    copies.commit_and_advance();
    stage = next_stage;
  }
  cp_async_wait_group<0>();
  __syncthreads();
}

// Returns the i-th vector of a thread's sums. Adding zero copies them to other registers. A vector store needs
// neighbouring registers: without the copy, the sums would lie in such registers during the multiplications
// too, in the way of other operands.
template <class Tile>
__device__ float4 vector_of_sums(const float (&sums)[Tile::thread_rows][Tile::thread_columns], int i) {
  constexpr int vectors_per_row = Tile::thread_columns / vector_width;
  const float* const first = &sums[i / vectors_per_row][i % vectors_per_row * vector_width];
  return make_float4(0, 0, 0, 0) + make_float4(first[0], first[1], first[2], first[3]);
}

// Adds up the sums of all slices. A thread gets every `slices`-th vector of its thread tile.
template <class Tile>
__device__ void add_slices(float4 (&values)[Tile::vectors],
                           const float (&sums)[Tile::thread_rows][Tile::thread_columns]) {
  constexpr int threads_per_slice = threads / Tile::slices, all_vectors = Tile::vectors * Tile::slices;
  float4* const thread_sums = reinterpret_cast<float4*>(shared) + threadIdx.x % threads_per_slice;
  const int slice = threadIdx.x / threads_per_slice;
#pragma unroll
  for (int i = 0; i < all_vectors; ++i) {
    if (Tile::slices == 1)
      values[i % Tile::vectors] = vector_of_sums<Tile>(sums, i);
    else
      thread_sums[(slice * all_vectors + i) * threads_per_slice] = vector_of_sums<Tile>(sums, i);
  }
  if (Tile::slices == 1) return;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Tile::vectors; ++i) {
    values[i] = make_float4(0, 0, 0, 0);
    for (int from = 0; from < Tile::slices; ++from)
      values[i] =
          values[i] + thread_sums[(from * all_vectors + i * Tile::slices + slice) * threads_per_slice];
  }
  __syncthreads();
}

// Exchanges half of a vector with the lane `distance` away: swaps the bit `distance` of the lane's number and
// the bit `offset` of the element's index.
template <int distance, int offset>
__device__ void exchange(float (&elements)[vector_width]) {
  const bool upper = threadIdx.x & distance;
#pragma unroll
  for (int i = 0; i < vector_width; ++i) {
    if (i & offset) continue;
    float &first = elements[i], &second = elements[i + offset];
    const float other = __shfl_xor_sync(0xffffffff, upper ? first : second, distance);
    first = upper ? other : first;
    second = upper ? second : other;
  }
}

// Stores the i-th vector of a thread, in the block tile that begins at (first_row, first_column) of C.
template <class Tile>
__device__ void store_vector(float* C, const float4& value, int i, int first_row, int first_column, int m,
                             int n) {
  constexpr int vectors_per_row = Tile::thread_columns / vector_width;
  const ThreadTile<Tile> thread_tile;
  const int vector = i * Tile::slices + thread_tile.slice;
  const int row = first_row + thread_tile.row + vector / vectors_per_row * lanes_down;
  const int column =
      first_column + thread_tile.column + vector % vectors_per_row * lanes_across * vector_width;
  if (Tile::copy_width < vector_width && n % vector_width > 0) {
    // Transposes among the lanes of four rows: then a warp stores 32 neighbours in one row at once.
    float elements[vector_width] = {value.x, value.y, value.z, value.w};
    exchange<1, 1>(elements);
    exchange<16, 2>(elements);
    const int lane_row = thread_tile.row % lanes_down;
#pragma unroll
    for (int i = 0; i < lanes_down; ++i)
      if (row - lane_row + i < m && column + lane_row < n)
        C[static_cast<long long>(row - lane_row + i) * n + column + lane_row] = elements[i];
    return;
  }
  if (row >= m) return;
  float* const to = C + static_cast<long long>(row) * n + column;
  if (column < n) *reinterpret_cast<float4*>(to) = value;
}

// Partial sums that blocks leave for each other: [block][0] for the tile that began before the block's share,
// and [block][1] for the tile in which the block's share ends.
__device__ float4 partial_sums[max_sharing_blocks][2][max_vectors * threads];

// Number of arrivals at the tile in which a block's share ends: first each block arrives when it has left its
// sums, and then once more when it has added up its part. Zero before and after each launch.
__device__ int arrivals[max_sharing_blocks];

// Sequence of the iterations of all tiles, and the share of each block.
struct StreamK {
  int tiles_down, tiles_across, tile_iterations;

  // Counts the iterations of all tiles.
  __device__ long long iterations() const {
    return static_cast<long long>(tiles_down) * tiles_across * tile_iterations;
  }
  // Returns where the share of a block begins.
  __device__ int first_iteration(int block) const { return iterations() * block / gridDim.x; }
  // Returns the block that has this iteration in its share: the inverse of first_iteration.
  __device__ int block_of(int iteration) const { return ((iteration + 1LL) * gridDim.x - 1) / iterations(); }

  // Finds the row and column of a tile in grouped order (threadblock swizzle): tiles go down group_height rows, then
  // across, so that more of what is loaded at the same time is in the L2 cache.
  __device__ void find_tile(int tile, int& row, int& column) const {
    const int group_size = group_height * tiles_across, group_row = tile / group_size * group_height;
    const int height = min(group_height, tiles_down - group_row);
    row = group_row + tile % group_size % height;
    column = tile % group_size / height;
  }
};

// Adds up this block's part of a shared tile (the fixup of stream-K), when all have left their partial sums.
template <class Tile>
__device__ void fix_up(float* C, const StreamK& schedule, int tile, int m, int n) {
  const int first = schedule.block_of(tile * schedule.tile_iterations);
  const int last = schedule.block_of((tile + 1) * schedule.tile_iterations - 1);
  const int count = last - first + 1;
  if (threadIdx.x == 0) {
    while (atomicAdd(&arrivals[first], 0) < count) continue;
    __threadfence();
  }
  __syncthreads();
  int row, column;
  schedule.find_tile(tile, row, column);
  constexpr int max_count = (Tile::vectors + 1) / 2;  // of vectors: at least two blocks share a tile
  float4 values[max_count] = {};
  for (int block = first; block <= last; ++block) {
#pragma unroll
    for (int j = 0; j < max_count; ++j) {
      const int i = blockIdx.x - first + j * count;
      if (i < Tile::vectors)
        values[j] = values[j] + __ldcg(&partial_sums[block][block == first][i * threads + threadIdx.x]);
    }
  }
#pragma unroll
  for (int j = 0; j < max_count; ++j) {
    const int i = blockIdx.x - first + j * count;
    if (i < Tile::vectors)
      store_vector<Tile>(C, values[j], i, row * Tile::rows, column * Tile::columns, m, n);
  }
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&arrivals[first], 1) == 2 * count - 1) arrivals[first] = 0;
}

// Expects blocks of 256 threads: one for each tile, or any other number that is at most max_sharing_blocks and
// that can run at once. Shared memory has to hold the stages and later, with several slices,
// the sums of all slices.
template <int rows, int columns, int warps_down, int warps_across, int copy_width>
__global__ void __launch_bounds__(
    threads, BlockTile<rows, columns, warps_down, warps_across, copy_width>::blocks_per_multiprocessor)
    matmul_by_size(const float* A, const float* B, float* C, int m, int n, int k) {
  using Tile = BlockTile<rows, columns, warps_down, warps_across, copy_width>;
  const StreamK schedule{(m + rows - 1) / rows, (n + columns - 1) / columns,
                         (k + Tile::depth - 1) / Tile::depth};
  const int end = schedule.first_iteration(blockIdx.x + 1);
  for (int iteration = schedule.first_iteration(blockIdx.x); iteration < end;) {
    const int tile = iteration / schedule.tile_iterations, first = iteration % schedule.tile_iterations;
    const int count = min(schedule.tile_iterations - first, end - iteration);
    int row, column;
    schedule.find_tile(tile, row, column);
    float sums[Tile::thread_rows][Tile::thread_columns] = {};
    run_main_loop<Tile>(sums,
                        StageCopies<Tile>(A, B, row * rows, column * columns, first * Tile::depth,
                                          min(k, (first + count) * Tile::depth), m, n, k),
                        count);
    float4 values[Tile::vectors];
    add_slices<Tile>(values, sums);
    if (count == schedule.tile_iterations) {
#pragma unroll
      for (int i = 0; i < Tile::vectors; ++i)
        store_vector<Tile>(C, values[i], i, row * rows, column * columns, m, n);
    } else {
#pragma unroll
      for (int i = 0; i < Tile::vectors; ++i)
        partial_sums[blockIdx.x][first == 0][i * threads + threadIdx.x] = values[i];
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicAdd(&arrivals[schedule.block_of(tile * schedule.tile_iterations)], 1);
    }
    iteration += count;
  }
  const int begin = schedule.first_iteration(blockIdx.x);
  const int tile_before = begin / schedule.tile_iterations, tile_after = end / schedule.tile_iterations;
  const bool began_inside = begin % schedule.tile_iterations > 0;
  const bool ends_inside = end % schedule.tile_iterations > 0;
  if (began_inside) fix_up<Tile>(C, schedule, tile_before, m, n);
  if (ends_inside && !(began_inside && tile_after == tile_before))
    fix_up<Tile>(C, schedule, tile_after, m, n);
}

// Instantiates all block tiles, each for rows that begin at a multiple of 16 bytes and for other rows.
template __global__ void matmul_by_size<32, 32, 1, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<32, 32, 1, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<32, 64, 2, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<32, 64, 2, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<48, 64, 1, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<48, 64, 1, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<64, 64, 4, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<64, 64, 4, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<96, 64, 2, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<96, 64, 2, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<128, 64, 2, 1, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<128, 64, 2, 1, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<192, 128, 4, 2, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<192, 128, 4, 2, 1>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<256, 128, 4, 2, 4>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_by_size<256, 128, 4, 2, 1>(const float*, const float*, float*, int, int, int);
