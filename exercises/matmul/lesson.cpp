#include "lesson/lesson.hpp"

#include <functional>
#include <vector>

#include "base/error.hpp"
#include "lesson/demands.hpp"
#include "matmul/arrays.hpp"
#include "matmul/by_size.hpp"
#include "matmul/reference.hpp"

namespace gpulab::lessons::matmul {

Sizes sizes_of(const Settings& settings) {
  const Sizes sizes{settings.count("m"), settings.count("n"), settings.count("k")};
  for (const std::size_t elements : {sizes.m * sizes.k, sizes.k * sizes.n, sizes.m * sizes.n})
    if (elements > largest_int_index)
      throw UsageError("a matrix of " + grouped(elements) +
                       " elements is too large: kernels index it with an int, so at most " +
                       grouped(largest_int_index) + " will do");
  return sizes;
}

// Multiplies with column i of A, and so term i of every sum, counted `times(i)` times.
void multiply_times(const Sizes& sizes, const Inputs& in, const std::function<double(std::size_t)>& times,
                    Outputs& out) {
  std::vector<float> scaled(in[A].begin(), in[A].end());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= static_cast<float>(times(i % sizes.k));
  multiply(sizes, scaled, in[B], out[C]);
}

Problem problem(const Settings& settings) {
  const Sizes sizes = sizes_of(settings);
  const auto [m, n, k] = sizes;
  const auto shape = [](std::size_t rows, std::size_t columns) {
    return grouped(rows) + " x " + grouped(columns);
  };
  return {
      .description = shape(m, k) + " times " + shape(k, n) + " float32, uniform in [-1, 1)",
      .arrays = {A(k, m), B(n, k), C(n, m)},
      .scalars = {rows(m), columns(n), terms(k)},
      .fill = uniform_around_zero(A, B),
      .edges = with_edges({A, B}, edges_up_to_one),
      .references = {
          .plain = [=](const Inputs& in, Outputs& out) { multiply(sizes, in[A], in[B], out[C]); },
          .openmp = [=](const Inputs& in, Outputs& out) { multiply_openmp(sizes, in[A], in[B], out[C]); }},
      .traffic = {.operations = 2 * static_cast<double>(m * n) * static_cast<double>(k),
                  .limited_by_operations = true},
      // k products of at most 1, each sum rounded by 2^-24 of itself. Sums grow as the square root of k /
      // 9, and their errors mostly cancel: this is about five times the largest error to expect.
      .tolerance = {.absolute = 0x1p-23 * static_cast<double>(k)},
      .terms = {
          .name = "term", .count = k, .compute = [=](const Inputs& in, const auto& times, Outputs& out) {
            multiply_times(sizes, in, times, out);
          }}};
}

// Neighbouring threads in x work on neighbouring rows.
LaunchConfig rows_along_x(const LaunchRequest& request) {
  LaunchRequest swapped = request;
  swapped.work = {request.work.y, request.work.x};
  return one_thread_per_pixel(swapped).config;
}

// Returns a launch of one block for each tile of C, side x side elements.
LaunchShape one_block_per_tile(unsigned side, Extent block, std::size_t shared_bytes = 0) {
  return [=](const LaunchRequest& request) -> ChosenLaunch {
    return LaunchConfig{.grid = {ceil_div(request.work.x, side), ceil_div(request.work.y, side)},
                        .block = block,
                        .dynamic_shared_bytes = shared_bytes};
  };
}

// Three stages. Rows of A's tile are padded by 4 words, and rows of B's by 8.
constexpr std::size_t bytes_of_three_tiles = 3 * (128 * 36 + 32 * 136) * sizeof(float);
constexpr std::size_t bytes_of_split_tiles = 3 * 2 * 128 * 32 * sizeof(float);

// Short sums are up to five times less exact than in float32, long ones more exact.
constexpr Tolerance tolerance_of_3xtf32{.absolute = 0x1p-22};

Option size_option(const std::string& name, const std::string& help, std::uint64_t max) {
  return {.name = name, .help = help, .kind = Count{.default_value = 100, .max = max}};
}

// Returns a case with square matrices.
LimitCase limit(std::size_t side, const std::string& variant) {
  return {.options = {{"m", side}, {"n", side}, {"k", side}}, .variant = variant, .yardstick = "cublas"};
}

std::vector<LimitCase> limits() {
  std::vector<LimitCase> cases;
  for (const std::size_t side : {64u, 256u, 512u, 1023u, 1024u, 2048u, 4096u, 8192u}) {
    LimitCase one = limit(side, "by-size");
    one.label = grouped(side) + ", float32";
    one.at_least_times = 1;
    one.host_library = "onednn-sgemm";
    cases.push_back(one);
  }
  LimitCase split = limit(4096, "warpgroups");
  split.label = "4 096, 3xTF32";
  split.at_least = 0.62;
  split.limited_by = LimitedBy::tensor_cores;
  cases.push_back(split);
  return cases;
}

constexpr BlockSizes whole_warps{.threads = 256, .multiple_of = 32};

Lesson lesson() {
  return {
      .name = "matmul",
      .title = "Multiply two matrices: use what was fetched again",
      .place = {.episode = 8, .step = 5},
      .page = "Matrix-matrix multiplication (outline and Numba slides)",
      .options = {size_option("m", "rows of A and C", max_grid_y),
                  size_option("n", "columns of B and C", max_grid_y),
                  size_option("k", "columns of A and rows of B", largest_int_index)},
      .sides = {"m", "n", "k"},
      .problem = problem,
      .arguments = all_arguments,
      .variants = {{.name = "naive",
                    .kernel = "matmul_naive",
                    .idea = "one thread per element of C, neighbours in a row",
                    .launch = one_thread_per_pixel,
                    .block = whole_warps},
                   {.name = "naive-swapped",
                    .kernel = "matmul_naive_swapped",
                    .idea = "neighbours in a column: right, and slow",
                    .launch = rows_along_x,
                    .block = whole_warps},
                   {.name = "tiled",
                    .kernel = "matmul_tiled",
                    .idea = "32 x 32 tiles of A and B in shared memory",
                    .launch = one_thread_per_pixel,
                    .block = only_blocks_of(1024)},
                   {.name = "coarsened",
                    .kernel = "matmul_coarsened",
                    .idea = "thread coarsening: 8 sums in a column per thread",
                    .launch = one_block_per_tile(64, {64, 8}),
                    .block = only_blocks_of(512)},
                   {.name = "register-blocked",
                    .kernel = "matmul_register_blocked",
                    .idea = "register tiling: 8 x 8 sums per thread",
                    .launch = one_block_per_tile(128, {16, 16}),
                    .block = only_blocks_of(256)},
                   {.name = "vectorised",
                    .kernel = "matmul_vectorised",
                    .idea = "loads of 16 bytes, A transposed in shared memory",
                    .launch = one_block_per_tile(128, {16, 16}),
                    .block = only_blocks_of(256),
                    .source = "matmul_vectorised.cu"},
                   {.name = "padded",
                    .kernel = "matmul_padded",
                    .idea = "no bank conflicts: padding, and columns in two groups",
                    .launch = one_block_per_tile(128, {16, 16}),
                    .block = only_blocks_of(256),
                    .source = "matmul_vectorised.cu"},
                   {.name = "double-buffered",
                    .kernel = "matmul_double_buffered",
                    .idea = "double buffering: the next tile is loaded while this one is used",
                    .launch = one_block_per_tile(128, {16, 16}),
                    .block = only_blocks_of(256),
                    .source = "matmul_vectorised.cu"},
                   {.name = "warp-tiled",
                    .kernel = "matmul_warp_tiled",
                    .idea = "a tile for each warp, so that lanes read the same words",
                    .launch = one_block_per_tile(128, {16, 16}),
                    .block = only_blocks_of(256),
                    .source = "matmul_vectorised.cu"},
                   {.name = "async-copies",
                    .kernel = "matmul_async_copies",
                    .idea = "asynchronous copies in three stages, which bypass the registers; cuda only",
                    .launch = one_block_per_tile(128, {256}),
                    .block = only_blocks_of(256),
                    .source = "matmul_async_copies.cu",
                    .needs = GpuNeed{.major = 8}},
                   {.name = "by-size",
                    .kernel = "matmul_by_size",
                    .idea = "Stream-K and split-K: equal shares of the work at every size; cuda only",
                    .block = only_blocks_of(256),
                    .source = "matmul_by_size.cu",
                    .steps = multiply_by_size,
                    .needs = GpuNeed{.major = 8, .shared_bytes = most_shared_bytes()}},
                   {.name = "tensor-cores",
                    .kernel = "matmul_tensor_cores",
                    .idea = "3xTF32: three products on the tensor cores for one in float32; cuda only",
                    .launch = one_block_per_tile(128, {256}, bytes_of_three_tiles),
                    .block = only_blocks_of(256),
                    .source = "matmul_tensor_cores.cu",
                    .needs = GpuNeed{.major = 8, .shared_bytes = bytes_of_three_tiles},
                    .tolerance = tolerance_of_3xtf32},
                   {.name = "warpgroups",
                    .kernel = "matmul_warpgroups",
                    .idea = "3xTF32 by instructions of 128 threads, wgmma; cuda only",
                    .launch = one_block_per_tile(128, {256}, bytes_of_split_tiles),
                    .block = only_blocks_of(256),
                    .source = "matmul_warpgroups.cu",
                    .needs = GpuNeed{.major = 9, .only_there = true, .shared_bytes = bytes_of_split_tiles},
                    .tolerance = tolerance_of_3xtf32}},
      .yardsticks = {{.name = "cublas",
                      .idea = "cublasSgemm, float32 throughout",
                      .library = "cublas-sgemm"}},
      // Measured on an H200: "coarsened" is 2.0 times as fast as "tiled" at 1 024 x 1 024 and at
      // 4 096 x 4 096.
      .claims = {at_least_fewer(3, "sectors per load", "naive", "naive-swapped"),
                 from_size(std::size_t{1} << 20, at_least(1.5, "coarsened", "tiled")),
                 at_least_fewer(1.3, "bank-conflict ways per load", "padded", "vectorised")},
      .limits = limits(),
      .simulated = {{.label = "1 024",
                     .options = {{"m", 1024u}, {"n", 1024u}, {"k", 1024u}},
                     .variant = "tiled",
                     .host_library = "opencl-matmul"}},
      .solution = "tiled",
      .checked_at = {{},  // 100 x 100
                     {{"m", 40u}, {"n", 70u}, {"k", 20u}},
                     {{"m", 33u}, {"n", 33u}, {"k", 33u}},
                     {{"m", 1u}, {"n", 1u}, {"k", 1u}}},
      .shows = {.accesses = {AccessMetric::sectors_per_load, AccessMetric::bank_conflict_ways_per_load}},
      .demands = {{"", "each thread fetches one element of A and one of B, and all serve the block",
                   no_shared_accesses,
                   /*is_note=*/true}}};
}

}  // namespace gpulab::lessons::matmul
