#include "lesson/lesson.hpp"

#include <algorithm>
#include <cmath>

#include "lesson/arrays.hpp"
#include "lesson/demands.hpp"
#include "normalize/reference.hpp"

namespace gpulab::lessons::normalize {

// Returns the factor of every element. The square of 1e30 is too large for a float, and that of 1e-30 too
// small.
float factor_of(const std::string& values) {
  if (values == "zero") return 0;
  if (values == "huge") return 1e30f;
  return values == "tiny" ? 1e-30f : 1.0f;
}

const Input<float> x{"x"};
const Output<float> y{"y"};
const Scratch<double> sum{"sum_of_squares"}, inverse{"scale"}, sums_of_blocks{"sums_of_blocks"};
const Scratch<double> running_sum{"running_sum", InitialContents::cleared};
const Scratch<int> blocks_done{"blocks_done", InitialContents::cleared},
    arrived{"arrived", InitialContents::cleared}, tiles_taken{"tiles_taken", InitialContents::cleared};
const Scalar<int> size{"size"};

// Returns the largest relative difference of y from x / |x| in double.
Findings error_of(const Inputs& inputs, const Outputs& outputs) {
  const auto vector = inputs[x];
  const auto result = outputs[y];
  const double scale = scale_of(sum_of_squares(vector));
  double largest = 0;
#pragma omp parallel for reduction(max : largest) if (result.size() >= min_parallel_size)
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double expected = vector[i] * scale;
    if (expected != 0) largest = std::max(largest, std::abs(result[i] / expected - 1));
  }
  return {.figures = {{.name = "largest relative error", .value = largest}}};
}

// Each block adds up the sums of all blocks, one per thread.
constexpr unsigned threads_on_chip = 768, max_blocks_on_chip = threads_on_chip;
constexpr std::size_t bytes_on_chip = threads_on_chip * 8 * 16;  // for each thread 8 vectors of 4 floats

// Divides by the length of the vector in which element i counts `times(i)` times.
void normalize_times(const Inputs& in, const std::function<double(std::size_t)>& times, Outputs& out) {
  double squares = 0;
  for (std::size_t i = 0; i < in[x].size(); ++i) squares += times(i) * double{in[x][i]} * in[x][i];
  for (std::size_t i = 0; i < in[x].size(); ++i) out[y][i] = static_cast<float>(in[x][i] * scale_of(squares));
}

// Scales by another factor than 1 / |x|.
Reference scaled(double (*factor)(double sum_of_squares, double elements)) {
  return [=](const Inputs& in, Outputs& out) {
    const auto vector = in[x];
    const double scale = factor(sum_of_squares(vector), static_cast<double>(vector.size()));
    for (std::size_t i = 0; i < vector.size(); ++i) out[y][i] = static_cast<float>(vector[i] * scale);
  };
}

// Divides by the root of a sum of other terms than squares.
Reference by_root_of(double (*term)(double)) {
  return [=](const Inputs& in, Outputs& out) {
    double sum = 0;
    for (const float value : in[x]) sum += term(value);
    // Without a root the result is not a number, since zeros have other causes.
    for (std::size_t i = 0; i < in[x].size(); ++i) out[y][i] = static_cast<float>(in[x][i] / std::sqrt(sum));
  };
}

// Adds the squares in float, which overflows beyond 3.4e38 and underflows below 1.4e-45.
void normalize_in_float(const Inputs& in, Outputs& out) {
  float squares = 0;
  for (const float value : in[x]) squares += value * value;
  for (std::size_t i = 0; i < in[x].size(); ++i)
    out[y][i] = static_cast<float>(in[x][i] * scale_of(double{squares}));
}

double scale_in_float(double squares, double) {
  return static_cast<float>(scale_of(squares));
}

// Returns edge values. Tiny vectors have the smallest numbers alone: 1 / |x| is then too large for a float.
Fill edges_of(const std::string& values, float factor) {
  if (values == "tiny")
    return each_element(x, [](std::uint64_t seed, std::size_t i) {
      return (random_bits(~seed, i) & 1 ? 1 : -1) * (1 + random_float(seed, i)) * 1e-40f;
    });
  return with_edges({x}, {0.0f, -0.0f, factor, -factor, 0x1p-20f * factor});
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  const std::string values = settings.word("values");
  const float factor = factor_of(values);
  return {
      .description = grouped(n) + " float32, " + values,
      .arrays = {x(n), sum(1), y(n), running_sum(1), blocks_done(1), inverse(1),
                 sums_of_blocks(max_blocks_on_chip), arrived(1), tiles_taken(2)},
      .scalars = {size(n)},
      .fill = each_element(
          x, [=](std::uint64_t seed, std::size_t i) { return factor * (2 * random_float(seed, i) - 1); }),
      .edges = edges_of(values, factor),
      .references = {.plain = [](const Inputs& in, Outputs& out) { normalize(in[x], out[y]); },
                     .openmp = [](const Inputs& in, Outputs& out) { normalize_openmp(in[x], out[y]); }},
      // No element can be scaled before the last has been added.
      .traffic = {.bytes_read = 2.0 * static_cast<double>(n) * sizeof(float),
                  .operations = 3 * static_cast<double>(n)},
      // A few roundings in float, also of the scale; a length below the normal numbers may be rounded, too.
      .tolerance = {.relative = values == "tiny" && settings.edge_inputs ? 1e-3 : 0x1p-21},
      .typically_wrong = {{"wrong-formula", "each element is divided by |x|^2 instead of |x|",
                           scaled([](double squares, double) { return 1 / squares; })},
                          {"wrong-formula", "each element is multiplied by |x| instead of divided",
                           scaled([](double squares, double) { return std::sqrt(squares); })},
                          {"wrong-formula", "each element is divided by the root of the mean square",
                           scaled([](double squares, double n) { return std::sqrt(n / squares); })},
                          {"wrong-formula", "each element is divided by the number of elements",
                           scaled([](double, double n) { return 1 / n; })},
                          {"wrong-formula", "each element is that of x, unchanged",
                           scaled([](double, double) { return 1.0; })},
                          {"type-limit",
                           "it is what comes out if |x|^2 is a float, which ends at 3.4e38 and 1.4e-45",
                           normalize_in_float},
                          {"type-limit", "it is what comes out if 1 / |x| is a float, which ends at 3.4e38",
                           scaled(scale_in_float)},
                          {"wrong-summand", "|x|^2 is the sum of the elements, not of their squares",
                           by_root_of([](double value) { return value; })},
                          {"wrong-summand", "|x|^2 is the sum of |x[i]|, not of the squares",
                           by_root_of([](double value) { return std::abs(value); })},
                          {"wrong-summand", "|x|^2 is the sum of x[i] to the power of 3, not of 2",
                           by_root_of([](double value) { return value * value * value; })},
                          {"wrong-summand", "|x|^2 is the sum of x[i] to the power of 4, not of 2",
                           by_root_of([](double value) { return std::pow(value, 4); })}},
      .terms = {.name = "element", .count = n, .compute = normalize_times},
      .findings = error_of};
}

const Arguments sum_arguments{x, sum, size};
const Arguments scale_arguments{x, reads(sum), y, size};
const Arguments sum_and_finish_arguments{x, running_sum, blocks_done, inverse, size};
const Arguments on_chip_arguments{x, sums_of_blocks, arrived, tiles_taken, y, size};

// Returns steps of two kernels. The stream runs them in order: the sum is done before the scaling begins.
std::function<void(Execution&)> sum_and_scale(const std::string& sum_kernel,
                                              const std::string& scale_kernel) {
  return [=](Execution& run) {
    LaunchRequest request = run.request();  // for the summing kernel; more blocks of the other may fit
    run.clear(sum);
    run.launch(sum_kernel, resident_blocks(request), sum_arguments);
    request.resident_blocks = run.resident_blocks(scale_kernel, scale_arguments, request.block_size);
    run.launch(scale_kernel, resident_blocks(request), scale_arguments);
  };
}

void sum_and_finish_then_scale_backwards(Execution& run) {
  run.launch("normalize_sum_and_finish", resident_blocks(run.request()), sum_and_finish_arguments);
  LaunchRequest scaling = run.request();
  scaling.block_size = std::min(scaling.block_size, 256u);  // without a loop, small blocks are enough
  run.launch("normalize_scale_backwards", one_thread_per_four_elements(scaling),
             {x, reads(inverse), y, size});
}

void keep_on_chip(Execution& run) {
  const unsigned threads = run.request().block_size;
  const unsigned blocks = run.resident_blocks("normalize_on_chip", on_chip_arguments, threads, bytes_on_chip);
  run.launch("normalize_on_chip",
             LaunchConfig{.grid = {std::min(blocks, max_blocks_on_chip)},
                          .block = {threads},
                          .dynamic_shared_bytes = bytes_on_chip,
                          .cooperative = true},
             on_chip_arguments);
}

Lesson lesson() {
  return {
      .name = "normalize",
      .title = "Divide a vector by its length: two kernels",
      .place = {.episode = 8, .step = 4},
      .page = "Vector normalization (Numba slides)",
      .default_size = std::size_t{1} << 25,
      .options = {{.name = "values",
                   .help = "how large the elements are",
                   .kind = Choice{{"uniform", "huge", "tiny", "zero"}}}},
      .problem = problem,
      .arguments = scale_arguments,
      .variants = {{.name = "shared",
                    .kernel = "normalize_sum_shared",
                    .idea = "tree in shared memory, one atomic per block; then the scaling kernel",
                    .block = {.threads = 256, .power_of_two = true},
                    .arguments = sum_arguments,
                    .steps = sum_and_scale("normalize_sum_shared", "normalize_scale")},
                   {.name = "shuffle",
                    .kernel = "normalize_sum_shuffle",
                    .idea = "warp shuffles: sums stay in registers",
                    .block = {.threads = 256, .multiple_of = 32},
                    .arguments = sum_arguments,
                    .steps = sum_and_scale("normalize_sum_shuffle", "normalize_scale")},
                   {.name = "wide-loads",
                    .kernel = "normalize_sum_wide_loads",
                    .idea = "16-byte loads and stores in both kernels",
                    .block = {.threads = 256, .multiple_of = 32},
                    .source = "normalize_wide_loads.cu",
                    .arguments = sum_arguments,
                    .steps = sum_and_scale("normalize_sum_wide_loads", "normalize_scale_wide_loads")},
                   {.name = "backwards",
                    .kernel = "normalize_sum_and_finish",
                    .idea = "the last block works out the scale; the end of x, still in L2, is scaled first",
                    .block = {.threads = 1024, .multiple_of = 32},
                    .source = "normalize_wide_loads.cu",
                    .arguments = sum_and_finish_arguments,
                    .steps = sum_and_finish_then_scale_backwards},
                   {.name = "on-chip",
                    .kernel = "normalize_on_chip",
                    .idea = "cooperative launch: a grid barrier, part of x kept on chip; cuda only",
                    .block = only_blocks_of(threads_on_chip),
                    .source = "normalize_wide_loads.cu",
                    .arguments = on_chip_arguments,
                    .steps = keep_on_chip,
                    .needs = GpuNeed{.major = 6, .shared_bytes = bytes_on_chip + 512}}},
      .yardsticks = {{.name = "cublas",
                      .idea = "cublasSnrm2 and cublasSscal, a product with the inverse",
                      .library = "cublas-normalize"}},
      .limits = {{.label = "2^25",
                  .size = std::size_t{1} << 25,
                  .variant = "on-chip",
                  .yardstick = "cublas",
                  .min_fraction_of_ceiling = 0.98},
                 {.label = "2^28",
                  .size = std::size_t{1} << 28,
                  .variant = "on-chip",
                  .yardstick = "cublas",
                  .min_fraction_of_ceiling = 0.97}},
      .solution = "shared",
      .demands = {{"", "add up sums in a tree", loop_of_one_lane,
                   /*is_note=*/true},
                  {"", "add up sums in a tree", atomics_at_one_address,
                   /*is_note=*/true}}};
}

}  // namespace gpulab::lessons::normalize
