#include "lesson/lesson.hpp"

#include <algorithm>
#include <cmath>

#include "lesson/demands.hpp"

namespace gpulab::lessons::reduction {

// Elements that each thread adds up before the tree begins.
constexpr std::size_t elements_per_thread = 8;

const Input<float> input{"input"};
const Output<float> sum{"sum", InitialContents::cleared};
const Scratch<float> partials{"partials"}, partials_of_partials{"partials_of_partials"};
const Scratch<double> sum_of_blocks{"sum_of_blocks", InitialContents::cleared};
const Scratch<int> blocks_done{"blocks_done", InitialContents::cleared},
    tiles_taken{"tiles_taken", InitialContents::cleared};
const Scalar<int> size{"size"};

void add_up(const Inputs& inputs, Outputs& outputs) {
  double all = 0;
  for (const float value : inputs[input]) all += value;
  outputs[sum][0] = static_cast<float>(all);
}

void add_up_openmp(const Inputs& inputs, Outputs& outputs) {
  const auto values = inputs[input];
  double all = 0;
#pragma omp parallel for simd reduction(+ : all)
  for (std::size_t i = 0; i < values.size(); ++i) all += static_cast<double>(values[i]);
  outputs[sum][0] = static_cast<float>(all);
}

// Adds element i `times(i)` times.
void add_up_times(const Inputs& inputs, const std::function<double(std::size_t)>& times, Outputs& outputs) {
  double all = 0;
  const auto values = inputs[input];
  for (std::size_t i = 0; i < values.size(); ++i) all += times(i) * values[i];
  outputs[sum][0] = static_cast<float>(all);
}

Reference sum_of(float (*term)(float)) {
  return [=](const Inputs& inputs, Outputs& outputs) {
    double all = 0;
    for (const float value : inputs[input]) all += term(value);
    outputs[sum][0] = static_cast<float>(all);
  };
}

void largest(const Inputs& inputs, Outputs& outputs) {
  outputs[sum][0] = *std::ranges::max_element(inputs[input]);
}

// Returns a multiple of 2^-8, three quarters of them positive: any sum of 100 000 is exact in any order.
float either_sign(std::uint64_t seed, std::size_t i) {
  return (static_cast<float>(random_bits(~seed, i) % 256) - 64) / 256;
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  const std::size_t max_partials =
      ceil_div(n, std::size_t{2});  // one per block of 2 threads, one element each
  return {.description = grouped(n) + " float32, uniform in [0, 1)",
          .arrays = {input(n), sum(1), partials(max_partials),
                     partials_of_partials(ceil_div(max_partials, std::size_t{2})), sum_of_blocks(1),
                     blocks_done(1), tiles_taken(1)},
          .scalars = {size(n)},
          .fill = uniform(input),
          .edges = each_element(input, either_sign),
          .references = {.plain = add_up, .openmp = add_up_openmp},
          .traffic = {.operations = static_cast<double>(n)},
          // Every order of adding rounds differently. No thread adds more than some thousand values one by
          // one, and their rounding errors, 2^-25 each on average, mostly cancel.
          .tolerance = {.relative = 1e-5},
          .element = "sum",
          .work = WorkOver{input, "all threads make the one sum"},
          .typically_wrong =
              {{"wrong-summand", "it is what comes out if every value counts without its sign",
                sum_of([](float a) { return std::abs(a); })},
               {"wrong-summand", "it is the sum of the positive values alone",
                sum_of([](float a) { return std::max(a, 0.0f); })},
               {"wrong-summand", "it is the sum of the squares", sum_of([](float a) { return a * a; })},
               {"wrong-summand", "it is how many elements there are", sum_of([](float) { return 1.0f; })},
               {"wrong-summand", "it is the largest of the values, and not their sum", largest}},
          .terms = {.name = "element", .count = n, .compute = add_up_times}};
}

// Returns steps in which each launch leaves one sum for every block, and the next adds those up, until one is
// left.
std::function<void(Execution&)> in_passes(const std::string& kernel,
                                          std::size_t per_thread = elements_per_thread) {
  return [=](Execution& run) {
    const unsigned threads = run.request().block_size;
    std::size_t count = run.request().size();
    Argument<const float*> source = input;
    for (int pass = 0;; ++pass) {
      const unsigned blocks = ceil_div(count, threads * per_thread);
      Argument<float*> target = pass % 2 == 0 ? partials : partials_of_partials;
      if (blocks == 1) target = sum;
      run.launch(kernel, LaunchConfig{.grid = {blocks}, .block = {threads}}, {source, target, size(count)});
      if (blocks == 1) return;
      source = reads(target);
      count = blocks;
    }
  };
}

// Leaves the ownership unknown: all threads make one sum.
LaunchConfig one_sum_of_all(const LaunchRequest& request) {
  return resident_blocks(request).config;
}

// Returns a launch of large blocks, since one address takes an atomic about every nanosecond.
LaunchConfig sixteen_elements_per_thread(const LaunchRequest& request) {
  return {.grid = {ceil_div(request.size(), std::size_t{16} * request.block_size)},
          .block = {request.block_size}};
}

// Returns a launch of half the threads, which keep memory busy by eight loads in flight each. And fewer sums
// wait for each other at the end: one address takes an atomic about every nanosecond.
LaunchConfig half_of_the_resident_blocks(const LaunchRequest& request) {
  LaunchConfig config = resident_blocks(request).config;
  config.grid.x = (config.grid.x + 1) / 2;
  return config;
}

// Returns right for a single thread, which needs no barrier.
Outcome race_within_a_block(const LaunchContext& at) {
  return at.block_size == 1 ? Outcome::right : Outcome::race;
}

constexpr BlockSizes power_of_two{.threads = 256, .power_of_two = true};
constexpr BlockSizes power_of_two_warps{.threads = 256, .multiple_of = 32, .power_of_two = true};
constexpr BlockSizes whole_warps{.threads = 256, .multiple_of = 32};
constexpr BlockSizes large_whole_warps{.threads = 1024, .multiple_of = 32};

Lesson lesson() {
  return {.name = "reduction",
          .title = "Add up a vector: one sum of all elements",
          .place = {.episode = 8, .step = 3},
          .page = "Shared Memory and Synchronization",
          .default_size = std::size_t{1} << 25,
          .problem = problem,
          .arguments = {input, sum, size},
          .variants = {{.name = "one-element",
                        .kernel = "reduction_one_element",
                        .idea = "tree reduction in shared memory, one element per thread",
                        .block = {.threads = 256, .multiple_of = 2, .power_of_two = true},
                        .steps = in_passes("reduction_one_element", 1)},
                       {.name = "interleaved",
                        .kernel = "reduction_interleaved",
                        .idea = "a grid-stride loop before the tree; divergence",
                        .block = power_of_two,
                        .steps = in_passes("reduction_interleaved")},
                       {.name = "strided",
                        .kernel = "reduction_strided",
                        .idea = "neighbouring threads stay active; bank conflicts",
                        .block = power_of_two,
                        .steps = in_passes("reduction_strided")},
                       {.name = "missing-barrier",
                        .kernel = "reduction_missing_barrier",
                        .idea = "the tree of 'sequential' without its barrier",
                        .expects = race_within_a_block,
                        .races = true,
                        .block = power_of_two,
                        .steps = in_passes("reduction_missing_barrier")},
                       {.name = "sequential",
                        .kernel = "reduction_sequential",
                        .idea = "sequential addressing: the first half of the threads adds the second half",
                        .block = power_of_two,
                        .steps = in_passes("reduction_sequential")},
                       {.name = "last-warp",
                        .kernel = "reduction_last_warp",
                        .idea = "one warp adds the last 32 sums by shuffles, with no barrier",
                        .block = power_of_two_warps,
                        .steps = in_passes("reduction_last_warp")},
                       {.name = "shuffle",
                        .kernel = "reduction_shuffle",
                        .idea = "warp shuffles in every warp, then in the first: one barrier",
                        .block = whole_warps,
                        .steps = in_passes("reduction_shuffle")},
                       {.name = "block-atomic",
                        .kernel = "reduction_block_atomic",
                        .idea = "one launch: each block adds its sum by one atomic",
                        .launch = one_sum_of_all,
                        .block = whole_warps},
                       {.name = "wide-loads",
                        .kernel = "reduction_wide_loads",
                        .idea = "latency hiding: four vectorised loads in flight per thread, large blocks",
                        .launch = sixteen_elements_per_thread,
                        .block = large_whole_warps,
                        .source = "reduction_wide_loads.cu"},
                       {.name = "double-sums",
                        .kernel = "reduction_double",
                        .idea = "sums of threads and blocks in double, rounded once",
                        .launch = half_of_the_resident_blocks,
                        .block = only_blocks_of(512),
                        .source = "reduction_wide_loads.cu",
                        .arguments = {input, sum_of_blocks, blocks_done, tiles_taken, sum, size}}},
          .yardsticks = {{.name = "cub", .idea = "cub::DeviceReduce::Sum", .library = "cub-reduce"}},
          // Measured: "sequential" 1.26 times at 2^25 on an H100, 1.4 on an H200, and not 1.2 on either at
          // 2^20. "block-atomic" is 1.2 times as fast as "sequential" at 2^28 on an H200. On an H100 it
          // is 1.5 times as fast at 2^23, 1.2 times at 2^25, and as fast at 2^28, where memory limits both.
          // "interleaved" is 4.8 times as fast as "one-element" at 2^25 on an H200, and 5.8 times at 2^28.
          .claims = {from_size(std::size_t{1} << 25, at_least(3, "interleaved", "one-element")),
                     from_size(std::size_t{1} << 25, at_least(1.2, "sequential", "interleaved")),
                     from_size(std::size_t{1} << 12, no_faster("sequential", "block-atomic")),
                     at_least_fewer(1.5, "active lanes", "interleaved", "sequential"),
                     at_least_fewer(1.3, "bank-conflict ways per load", "sequential", "strided")},
          .limits = {{.label = "2^25",
                      .size = std::size_t{1} << 25,
                      .variant = "wide-loads",
                      .yardstick = "cub",
                      .min_fraction_of_ceiling = 0.96},
                     {.label = "2^28",
                      .size = std::size_t{1} << 28,
                      .variant = "double-sums",
                      .yardstick = "cub",
                      .min_fraction_of_ceiling = 0.97}},
          .solution = "sequential",
          .shows = {.accesses = {AccessMetric::lanes_per_request, AccessMetric::bank_conflict_ways_per_load}},
          .demands = {{"", "in each step the first half of the threads adds the sums of the second half",
                       loop_of_one_lane,
                       /*is_note=*/true},
                      {"", "in each step the first half of the threads adds the sums of the second half",
                       atomics_at_one_address,
                       /*is_note=*/true},
                      {"", "neighbouring threads stay active, so that whole warps leave", divergent_tree,
                       /*is_note=*/true}}};
}

}  // namespace gpulab::lessons::reduction
