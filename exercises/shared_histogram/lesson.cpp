#include "lesson/lesson.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "lesson/arrays.hpp"
#include "lesson/demands.hpp"
#include "shared_histogram/reference.hpp"

namespace gpulab::lessons::shared_histogram {

const Input<int> input{"input"};
const Output<int> counts{"output", InitialContents::cleared};
const Scratch<int> tiles_taken{"tiles_taken", InitialContents::cleared};
const Scalar<int> size{"size"};

// Function that gives the bin of element i of n.
using BinOf = std::size_t (*)(std::uint64_t seed, std::size_t i, std::size_t n);

BinOf bin_of(const std::string& distribution) {
  if (distribution == "one-bin")
    return [](std::uint64_t seed, std::size_t, std::size_t) { return seed % bins; };
  if (distribution == "sorted")
    return [](std::uint64_t, std::size_t i, std::size_t n) { return i * bins / n; };
  return [](std::uint64_t seed, std::size_t i, std::size_t) { return random_bits(seed, i) % bins; };
}

// Returns the first element in the bin: its thread is named if the count is wrong.
std::optional<std::size_t> first_in_bin(const Inputs& inputs, std::size_t bin) {
  const auto values = inputs[input];
  const auto first = std::ranges::find(values, static_cast<int>(bin));
  if (first == values.end()) return std::nullopt;
  return static_cast<std::size_t>(first - values.begin());
}

// Counts element i `times(i)` times.
void count_times(const Inputs& inputs, const std::function<double(std::size_t)>& times, Outputs& outputs) {
  const auto values = inputs[input];
  const auto counted = outputs[counts];
  std::ranges::fill(counted, 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    counted[static_cast<std::size_t>(values[i])] += static_cast<int>(times(i));
}

// Returns a reference that counts element i in the bin `bin(i, value)`, `times(value)` times.
Reference count_as(
    std::size_t (*bin)(std::size_t i, std::size_t value),
    std::size_t (*times)(std::size_t value) = [](std::size_t) { return std::size_t{1}; }) {
  return [=](const Inputs& inputs, Outputs& outputs) {
    const auto values = inputs[input];
    const auto counted = outputs[counts];
    std::ranges::fill(counted, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<std::size_t>(values[i]);
      counted[bin(i, value) % bins] += static_cast<int>(times(value));
    }
  };
}

// Counts the element at threadIdx.x in place of that at the thread's index in the grid.
void count_first_block(const Inputs& inputs, Outputs& outputs) {
  constexpr std::size_t threads = 256;
  std::ranges::fill(outputs[counts], 0);
  for (std::size_t i = 0; i < inputs[input].size(); ++i) ++outputs[counts][inputs[input][i % threads]];
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  const std::string distribution = settings.word("distribution");
  const BinOf bin = bin_of(distribution);
  return {
      .description = grouped(n) + " int32 in 256 bins, " + distribution,
      .arrays = {input(n), counts(bins), tiles_taken(1)},
      .scalars = {size(n)},
      .fill = each_element(
          input, [=](std::uint64_t seed, std::size_t i) { return static_cast<int>(bin(seed, i, n)); }),
      .references = {
          .plain = [](const Inputs& inputs, Outputs& outputs) { count(inputs[input], outputs[counts]); },
          .openmp = [](const Inputs& inputs,
                       Outputs& outputs) { count_openmp(inputs[input], outputs[counts]); }},
      .element = "bin",
      .work = WorkOver{input, "every element counts in one bin"},
      .first_item = first_in_bin,
      .typically_wrong =
          {{"shifted", "each bin holds the count of the one before it",
            count_as([](std::size_t, std::size_t value) { return value + 1; })},
           {"shifted", "each bin holds the count of the one after it",
            count_as([](std::size_t, std::size_t value) { return value + bins - 1; })},
           {"wrong-summand", "each element adds its value to its bin, and not 1",
            count_as([](std::size_t, std::size_t value) { return value; },
                     [](std::size_t value) { return value; })},
           {"input-index", "each element is counted by its index modulo 256, and not by its value",
            count_as([](std::size_t i, std::size_t) { return i; })},
           {"wrong-summand",
            "each element adds its value to the bin of its index, and not 1 to that of its value",
            count_as([](std::size_t i, std::size_t) { return i; }, [](std::size_t value) { return value; })},
           {"input-index", "every block counts the elements of block 0, as if blockIdx were 0",
            count_first_block}},
      .terms = {.name = "element", .count = n, .compute = count_times}};
}

// Leaves the ownership unknown, unlike resident_blocks: a thread takes four elements at a time.
LaunchConfig resident_blocks_of_fours(const LaunchRequest& request) {
  return resident_blocks(request).config;
}

// Returns a race for few elements: their threads may never meet at a bin.
Outcome wrong_where_threads_meet(const LaunchContext& at) {
  if (at.size() == 1) return Outcome::right;
  return at.size() >= 65536 ? Outcome::wrong : Outcome::race;
}

// Returns right for a single thread, which zeroes and counts in order.
Outcome race_within_a_block(const LaunchContext& at) {
  return at.block_size == 1 ? Outcome::right : Outcome::race;
}

// Computes what the wrong merge gives: it is right if every element of a block is in the bin that its thread
// adds to, as when all are alike.
Outcome outcome_of_wrong_merge(const LaunchContext& at) {
  const std::size_t n = at.size(), block = at.block_size;
  const BinOf bin_of_item = bin_of(at.settings.word("distribution"));
  std::array<long, bins> merged{}, expected{};
  std::vector<std::size_t> bin_of_thread(block);
  for (std::size_t first = 0; first < n; first += block) {
    std::array<long, bins> counted{};
    const std::size_t items = std::min(block, n - first);
    for (std::size_t t = 0; t < items; ++t) bin_of_thread[t] = bin_of_item(at.settings.seed, first + t, n);
    for (std::size_t t = 0; t < items; ++t) ++counted[bin_of_thread[t]];
    for (std::size_t bin = 0; bin < bins; ++bin) {
      expected[bin] += counted[bin];
      if (bin % block < items) merged[bin_of_thread[bin % block]] += counted[bin];
    }
  }
  return merged == expected ? Outcome::right : Outcome::wrong;
}

// Launches twice: the second launch adds to what the first one left.
void count_twice(Execution& run) {
  for (int launch = 0; launch < 2; ++launch)
    run.launch("histogram_shared", one_thread_per_element(run.request()), {input, counts, size});
}

// Limits of the three inputs, which should take the same time: each is the same work.
std::vector<LimitCase> limits() {
  std::vector<LimitCase> cases;
  for (const char* distribution : {"uniform", "one-bin", "sorted"})
    cases.push_back({.label = std::string("2^25, ") + distribution,
                     .size = std::size_t{1} << 25,
                     .options = {{"distribution", distribution}},
                     .variant = "private-copies",
                     .yardstick = "cub",
                     .min_fraction_of_ceiling = 0.93});
  cases.push_back({.label = "2^28, uniform",
                   .size = std::size_t{1} << 28,
                   .variant = "private-copies",
                   .yardstick = "cub",
                   .min_fraction_of_ceiling = 0.97});
  return cases;
}

Lesson lesson() {
  return {.name = "shared-histogram",
          .aliases = {"histogram"},
          .title = "Count in shared memory, merge once",
          .place = {.episode = 8, .step = 2},
          .page = "Shared Memory and Synchronization",
          .kernels = "shared_histogram.cu",
          .default_size = std::size_t{1} << 25,
          .options = {{.name = "distribution",
                       .help = "distribution of the input",
                       .kind = Choice{{"uniform", "one-bin", "sorted"}}}},
          .problem = problem,
          .arguments = {input, counts, size},
          .variants = {{.name = "lost-updates",
                        .kernel = "histogram_lost_updates",
                        .idea = "counts without atomics",
                        .expects = wrong_where_threads_meet,
                        .races = true},
                       {.name = "global-atomic",
                        .kernel = "histogram_global_atomic",
                        .idea = "one global-memory atomic per element"},
                       {.name = "shared-unsynchronised",
                        .kernel = "histogram_shared_unsynchronised",
                        .idea = "privatised per block, no barrier after zeroing",
                        .expects = race_within_a_block,
                        .races = true},
                       {.name = "early-merge",
                        .kernel = "histogram_shared_early_merge",
                        .idea = "privatised per block, no barrier before merging",
                        .expects = race_within_a_block,
                        .races = true},
                       {.name = "shared",
                        .kernel = "histogram_shared",
                        .idea = "privatised per block, with both barriers"},
                       {.name = "wrong-merge",
                        .kernel = "histogram_wrong_merge",
                        .idea = "merges into output[input[item]], not output[bin]",
                        .expects = outcome_of_wrong_merge},
                       {.name = "not-zeroed",
                        .kernel = "histogram_shared",
                        .idea = "launched twice into an output that was zeroed once",
                        .expects = Outcome::wrong,
                        .steps = count_twice},
                       {.name = "private-copies",
                        .kernel = "histogram_private_copies",
                        .idea = "privatised per lane of a warp, 16-byte loads, tiles in order",
                        .launch = resident_blocks_of_fours,
                        .block = only_blocks_of(1024),
                        .source = "shared_histogram_private_copies.cu",
                        .arguments = {input, tiles_taken, counts, size}}},
          .yardsticks = {{.name = "cub",
                          .idea = "cub::DeviceHistogram::HistogramEven",
                          .library = "cub-histogram-even"}},
          // Measured: twice from 2^16 on. Ten times held for each distribution at 2^25 on an H200, and for
          // uniform input from 2^22 on an H100, but not at 2^20 on either.
          .claims = {from_size(std::size_t{1} << 20, at_least(2.0, "shared", "global-atomic")),
                     from_size(std::size_t{1} << 25, at_least(10.0, "private-copies", "shared"))},
          .limits = limits(),
          .simulated = {{.label = "2^25",
                         .size = std::size_t{1} << 25,
                         .variant = "shared",
                         .host_library = "opencl-histogram"}},
          .solution = "shared",
          .demands = {{"", "a block first counts in its own array, counts", no_shared_accesses,
                       /*is_note=*/true}}};
}

}  // namespace gpulab::lessons::shared_histogram
