#include "lesson/lesson.hpp"

#include <cmath>
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

// Multiplies with the numbers of one input in the places of both.
Reference one_for_both(const Sizes& sizes, const Input<float>& M) {
  return [=](const Inputs& in, Outputs& out) {
    const auto with_length = [&](std::size_t length) {
      std::vector<float> numbers(in[M].begin(), in[M].end());
      numbers.resize(length);
      return numbers;
    };
    multiply(sizes, with_length(sizes.m * sizes.k), with_length(sizes.k * sizes.n), out[C]);
  };
}

// Adds up sums in place of products.
Reference sums_for_products(const Sizes& sizes) {
  return [=](const Inputs& in, Outputs& out) {
    for (std::size_t row = 0; row < sizes.m; ++row)
      for (std::size_t column = 0; column < sizes.n; ++column) {
        float sum = 0;
        for (std::size_t i = 0; i < sizes.k; ++i)
          sum += in[A][row * sizes.k + i] + in[B][i * sizes.n + column];
        out[C][row * sizes.n + column] = sum;
      }
  };
}

// Returns the words that a matrix takes in half precision, its sides rounded up to multiples.
std::size_t words_of_panels(std::size_t rows, unsigned multiple_of_rows, std::size_t columns,
                            unsigned multiple_of_columns) {
  const auto rounded = [](std::size_t side, unsigned multiple) {
    return std::size_t{ceil_div(side, multiple)} * multiple;
  };
  return rounded(rows, multiple_of_rows) * rounded(columns, multiple_of_columns) / 2;
}

Problem problem(const Settings& settings) {
  const Sizes sizes = sizes_of(settings);
  const auto [m, n, k] = sizes;
  const auto shape = [](std::size_t rows, std::size_t columns) {
    return grouped(rows) + " x " + grouped(columns);
  };
  return {
      .description = shape(m, k) + " times " + shape(k, n) + " float32, uniform in [-1, 1)",
      .arrays = {A(k, m), B(n, k), C(n, m), A_panels(words_of_panels(m, 256, k, 64)),
                 B_panels(words_of_panels(k, 64, n, 256))},
      .scalars = {rows(m), columns(n), terms(k)},
      .fill = uniform_around_zero(A, B),
      .edges = with_edges({A, B}, edges_up_to_one),
      .references = {
          .plain = [=](const Inputs& in, Outputs& out) { multiply(sizes, in[A], in[B], out[C]); },
          .openmp = [=](const Inputs& in, Outputs& out) { multiply_openmp(sizes, in[A], in[B], out[C]); }},
      .traffic = {.operations = 2 * static_cast<double>(m * n) * static_cast<double>(k),
                  .limited_by_operations = true},
      // k products of at most 1, each sum rounded by 2^-24 of itself. Sums grow as sqrt(k / 9), and their
      // errors mostly cancel: this is about five times the largest error to expect.
      .tolerance = {.absolute = 0x1p-23 * static_cast<double>(k)},
      .typically_wrong =
          {{"wrong-summand", "{} element is that of A times A, and not A times B", one_for_both(sizes, A)},
           {"wrong-summand", "{} element is that of B times B, and not A times B", one_for_both(sizes, B)},
           {"wrong-summand", "{} element is a sum of a + b, and not of a * b", sums_for_products(sizes)}},
      .terms = {
          .name = "term", .count = k, .compute = [=](const Inputs& in, const auto& times, Outputs& out) {
            multiply_times(sizes, in, times, out);
          }}};
}

// Returns a launch in which neighbouring threads in x work on neighbouring rows.
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
// Four stages of A's high parts, of its low parts, and of B.
constexpr std::size_t bytes_of_split_stages = 4 * (2 + 1) * 128 * 32 * sizeof(float);

// Allows for short sums, which are up to five times less exact than in float32. Long ones are more exact.
Tolerance tolerance_of_3xtf32(const LaunchContext&) {
  return {.absolute = 0x1p-22};
}

// Allows ten times the mean error, twice the largest of some million. Rounding a and b to 11 significant bits
// changes each term by 2^-13 on average, and errors of k terms add up as the square root of k.
Tolerance tolerance_of_half(const LaunchContext& context) {
  return {.absolute = 0x1p-10 * std::sqrt(static_cast<double>(context[terms]))};
}

// Four stages, and for each of eight warps 16 rows of 64 sums.
constexpr std::size_t bytes_of_half_stages = 4 * 2 * (128 * 64 + 64 * 256) + 8 * 16 * 64 * sizeof(float);

// Rounds A and B, and multiplies them.
void multiply_half(Execution& run) {
  const LaunchRequest& request = run.request();
  const std::size_t m = request[rows], n = request[columns], k = request[terms];
  const unsigned rows_of_a = ceil_div(m, 256) * 256, rows_of_b = ceil_div(k, 64) * 64;
  const auto round = [&](const Input<float>& M, const Scratch<std::uint32_t>& panels, unsigned all_rows,
                         std::size_t used_rows, std::size_t used_columns, unsigned height, unsigned across) {
    run.launch("to_half_panels", LaunchConfig{.grid = {all_rows}, .block = {256}},
               {M, panels, Scalar<int>{"rows"}(used_rows), Scalar<int>{"columns"}(used_columns),
                Scalar<int>{"panel_rows"}(height), Scalar<int>{"panels_across"}(across)});
  };
  round(A, A_panels, rows_of_a, m, k, 128, rows_of_b / 64);
  round(B, B_panels, rows_of_b, k, n, 64, ceil_div(n, 256) * 4);
  const Arguments arguments{reads(A_panels), reads(B_panels), C, rows, columns, terms};
  const unsigned resident = run.resident_blocks("matmul_half", arguments, 288, bytes_of_half_stages);
  run.launch("matmul_half",
             LaunchConfig{.grid = {resident / 2 * 2},  // clusters of two
                          .block = {288},
                          .dynamic_shared_bytes = bytes_of_half_stages},
             arguments);
}

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
    LimitCase plain = limit(side, "by-size");
    plain.label = grouped(side) + ", float32";
    plain.min_speedup = 1;
    plain.host_library = "onednn-sgemm";
    cases.push_back(plain);
  }
  LimitCase split = limit(4096, "warpgroups");
  split.label = "4 096, 3xTF32";
  split.min_fraction_of_ceiling = 0.68;
  split.limited_by = LimitedBy::tensor_cores;
  cases.push_back(split);
  for (const std::size_t side : {4096u, 8192u}) {
    LimitCase half = limit(side, "half-precision");
    half.label = grouped(side) + ", float16";
    half.yardstick = "cublas-half";
    half.min_speedup = 0.95;
    half.limited_by = LimitedBy::half_precision;
    cases.push_back(half);
  }
  return cases;
}

constexpr BlockSizes whole_warps{.threads = 256, .multiple_of = 32};

Lesson lesson() {
  return {
      .name = "matmul",
      .title = "Multiply two matrices: reuse what was fetched",
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
                    .idea = "one thread per element of C, coalesced",
                    .launch = one_thread_per_pixel,
                    .block = whole_warps},
                   {.name = "naive-swapped",
                    .kernel = "matmul_naive_swapped",
                    .idea = "uncoalesced: a warp has neighbours in a column",
                    .launch = rows_along_x,
                    .block = whole_warps},
                   {.name = "tiled",
                    .kernel = "matmul_tiled",
                    .idea = "tiling: 32 x 32 tiles of A and B in shared memory",
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
                    .idea = "vectorised loads of 16 bytes, A transposed in shared memory",
                    .launch = one_block_per_tile(128, {16, 16}),
                    .block = only_blocks_of(256),
                    .source = "matmul_vectorised.cu"},
                   {.name = "padded",
                    .kernel = "matmul_padded",
                    .idea = "no bank conflicts: padding, and a split thread tile",
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
                    .idea = "warp tiling: lanes of a warp read the same words",
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
                    .needs = GpuNeed{.major = 8, .shared_bytes = least_shared_bytes()}},
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
                    .idea = "3xTF32 with wgmma, by warp specialisation; cuda only",
                    .launch = one_block_per_tile(128, {384}, bytes_of_split_stages),
                    .block = only_blocks_of(384),
                    .source = "matmul_warpgroups.cu",
                    .needs = GpuNeed{.major = 9, .exactly = true, .shared_bytes = bytes_of_split_stages},
                    .tolerance = tolerance_of_3xtf32},
                   {.name = "half-precision",
                    .kernel = "matmul_half",
                    .idea = "float16 products, float32 sums; warp specialisation; cuda only",
                    .block = only_blocks_of(288),
                    .source = "matmul_half.cu",
                    .arguments = {reads(A_panels), reads(B_panels), C, rows, columns, terms},
                    .steps = multiply_half,
                    .needs = GpuNeed{.major = 9, .exactly = true, .shared_bytes = bytes_of_half_stages},
                    .tolerance = tolerance_of_half}},
      .yardsticks = {{.name = "cublas", .idea = "cublasSgemm, float32 throughout", .library = "cublas-sgemm"},
                     {.name = "cublas-half",
                      .idea = "A and B rounded to float16, then cublasGemmEx, float32 sums",
                      .library = "cublas-half",
                      .tolerance = tolerance_of_half}},
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
