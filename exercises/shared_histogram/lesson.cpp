#include "core/lesson.hpp"

#include <algorithm>
#include <array>

#include "core/number_text.hpp"
#include "core/random.hpp"
#include "shared_histogram/reference.hpp"

namespace gpulab::lessons {
namespace {

using shared_histogram::bins;

int value(const std::string& distribution, std::uint64_t seed, std::size_t i, std::size_t n) {
  if (distribution == "one-bin") return static_cast<int>(seed % bins);
  if (distribution == "sorted") return static_cast<int>(i * bins / n);
  return static_cast<int>(random_bits(seed, i) % bins);
}

// The first element that counts in the bin: its thread is the one to name when the count is wrong.
std::optional<std::size_t> first_in_bin(const Arrays& inputs, std::size_t bin) {
  const auto input = inputs.get<int>("input");
  const auto first = std::ranges::find(input, static_cast<int>(bin));
  if (first == input.end()) return std::nullopt;
  return static_cast<std::size_t>(first - input.begin());
}

Problem histogram(const Settings& settings) {
  const std::size_t n = settings.size;
  const std::string distribution = settings.word("distribution");
  return {
      .description = grouped(n) + " int32 in 256 bins, " + distribution,
      .parameters = kernel_parameters(input<int>("input", n), cleared_output<int>("output", bins),
                                      scalar<int>("size", n)),
      .fill =
          [distribution](Arrays& inputs, std::uint64_t seed) {
            const auto input = inputs.get<int>("input");
#pragma omp parallel for
            for (std::size_t i = 0; i < input.size(); ++i)
              input[i] = value(distribution, seed, i, input.size());
          },
      .reference =
          [](const Arrays& inputs, Arrays& outputs) {
            shared_histogram::count(inputs.get<int>("input"), outputs.get<int>("output"));
          },
      .reference_openmp =
          [](const Arrays& inputs, Arrays& outputs) {
            shared_histogram::count_openmp(inputs.get<int>("input"), outputs.get<int>("output"));
          },
      .traffic = {.bytes_read = static_cast<double>(n) * sizeof(int), .bytes_written = bins * sizeof(int)},
      .tolerance = exact,
      .element = "bin",
      .first_item = first_in_bin};
}

// A thread takes four elements at a time: the launch does not tell which are whose.
LaunchConfig resident_blocks_of_fours(const LaunchRequest& request) {
  return resident_blocks(request).config;
}

// A handful of threads may never meet at a bin.
Outcome wrong_where_threads_meet(const LaunchContext& at) {
  if (at.size() == 1) return Outcome::right;
  return at.size() >= 65536 ? Outcome::wrong : Outcome::race;
}

// One thread zeroes and counts in order.
Outcome race_within_a_block(const LaunchContext& at) {
  return at.block_size == 1 ? Outcome::right : Outcome::race;
}

// What the wrong merge makes of the input: right where every element of a block is in the bin that the thread
// adds to, as it is when all are alike.
Outcome as_the_wrong_merge_adds_up(const LaunchContext& at) {
  const std::size_t n = at.size(), block = at.block_size;
  std::array<long, bins> output{}, expected{};
  for (std::size_t first = 0; first < n; first += block) {
    std::array<long, bins> counts{};
    const std::size_t items = std::min(block, n - first);
    const auto bin_of = [&](std::size_t thread) {
      return static_cast<std::size_t>(
          value(at.settings.word("distribution"), at.settings.seed, first + thread, n));
    };
    for (std::size_t thread = 0; thread < items; ++thread) ++counts[bin_of(thread)];
    for (std::size_t bin = 0; bin < bins; ++bin) {
      expected[bin] += counts[bin];
      if (bin % block < items) output[bin_of(bin % block)] += counts[bin];
    }
  }
  return output == expected ? Outcome::right : Outcome::wrong;
}

// The second launch adds to what the first one left.
void count_twice(Execution& run) {
  const std::size_t n = run.request().size();
  const Parameters parameters =
      kernel_parameters(input<int>("input", n), output<int>("output", bins), scalar<int>("size", n));
  for (int launch = 0; launch < 2; ++launch)
    run.launch("histogram_shared", one_thread_per_element(run.request()), parameters);
}

// The three inputs should take the same time: what is asked of each is the same.
std::vector<LimitCase> limits() {
  std::vector<LimitCase> cases;
  for (const char* distribution : {"uniform", "one-bin", "sorted"})
    cases.push_back({.label = std::string("2^25, ") + distribution,
                     .size = std::size_t{1} << 25,
                     .options = {{"distribution", distribution}},
                     .rung = "private-copies",
                     .yardstick = "cub",
                     .targets = {{Target::Kind::times_yardstick, 2.2}}});
  cases.push_back({.label = "2^28, uniform",
                   .size = std::size_t{1} << 28,
                   .rung = "private-copies",
                   .yardstick = "cub",
                   .targets = {{Target::Kind::part_of_ceiling, 0.97}}});
  return cases;
}

}  // namespace

Lesson shared_histogram() {
  return {.name = "shared-histogram",
          .aliases = {"histogram"},
          .title = "Count in shared memory, merge once",
          .place = {.episode = 8, .step = 2},
          .page = "Shared Memory and Synchronization",
          .text =
              R"(Many threads add to few counters. Without atomics updates get lost; with
atomics on global memory all blocks queue for the same 256 words. A block that
first counts in its own shared memory queues only with itself, and adds 256
sums to global memory at the end. That needs two barriers: one between zeroing
the bins and counting, one between counting and adding up. The first is easily
forgotten, and a GPU may well give the right result without it; that proves
nothing. The last rung gives every lane of a warp counters of its own and
reads 16 bytes at a time: it runs near the speed of memory, and equally fast
for every input.)",
          .kernels = "histogram.cu",
          .default_size = std::size_t{1} << 25,
          .largest_size = largest_int_index,
          .options = {{.name = "distribution",
                       .help = "what the input looks like",
                       .kind = Choice{{"uniform", "one-bin", "sorted"}}}},
          .problem = histogram,
          .variants = {{.name = "lost-updates",
                        .kernel = "histogram_lost_updates",
                        .idea = "counts without atomics",
                        .expects = wrong_where_threads_meet,
                        .races = true},
                       {.name = "global-atomic",
                        .kernel = "histogram_global_atomic",
                        .idea = "one atomic on global memory per element"},
                       {.name = "shared-unsynchronised",
                        .kernel = "histogram_shared_unsynchronised",
                        .idea = "counts in shared memory, with no barrier after zeroing it",
                        .expects = race_within_a_block,
                        .races = true},
                       {.name = "early-merge",
                        .kernel = "histogram_shared_early_merge",
                        .idea = "counts in shared memory, with no barrier before adding it up",
                        .expects = race_within_a_block,
                        .races = true},
                       {.name = "shared",
                        .kernel = "histogram_shared",
                        .idea = "counts in shared memory, with both barriers"},
                       {.name = "wrong-merge",
                        .kernel = "histogram_wrong_merge",
                        .idea = "merges into output[input[item]] and not into output[bin]",
                        .expects = as_the_wrong_merge_adds_up},
                       {.name = "not-zeroed",
                        .kernel = "histogram_shared",
                        .idea = "launched twice into an output that was zeroed once",
                        .expects = Outcome::wrong,
                        .steps = count_twice},
                       {.name = "private-copies",
                        .kernel = "histogram_private_copies",
                        .idea = "counters for every lane of a warp, 16-byte loads, resident blocks",
                        .launch = resident_blocks_of_fours,
                        .block = {.threads = 1024, .multiple_of = 32}}},
          .yardsticks = {{.name = "cub",
                          .idea = "cub::DeviceHistogram::HistogramEven",
                          .library = "cub-histogram-even"}},
          .claims = {at_least(2.0, "shared", "global-atomic"), at_least(10.0, "private-copies", "shared")},
          .limits = limits(),
          .solution = "shared"};
}

}  // namespace gpulab::lessons
