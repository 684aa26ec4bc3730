#include "core/lesson.hpp"

#include "core/number_text.hpp"
#include "core/random.hpp"

namespace gpulab::lessons {
namespace {

// Each thread adds up so many elements before the tree begins.
constexpr std::size_t elements_per_thread = 8;

void fill(Arrays& inputs, std::uint64_t seed) {
  const auto input = inputs.get<float>("input");
#pragma omp parallel for
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = random_float(seed, i);
}

void reference(const Arrays& inputs, Arrays& outputs) {
  double sum = 0;
  for (const float value : inputs.get<float>("input")) sum += value;
  outputs.get<float>("sum")[0] = static_cast<float>(sum);
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  const auto input = inputs.get<float>("input");
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (std::size_t i = 0; i < input.size(); ++i) sum += static_cast<double>(input[i]);
  outputs.get<float>("sum")[0] = static_cast<float>(sum);
}

Problem sum_of_vector(const Settings& settings) {
  const std::size_t n = settings.size;
  const std::size_t most_partials = ceil_div(n, elements_per_thread);  // in blocks of a single thread
  return {
      .description = grouped(n) + " float32, uniform in [0, 1)",
      .parameters = kernel_parameters(input<float>("input", n), cleared_output<float>("sum", 1),
                                      scalar<int>("size", n)),
      .others =
          other_arrays(scratch<float>("partials", most_partials),
                       scratch<float>("partials_of_partials", ceil_div(most_partials, elements_per_thread)),
                       cleared_scratch<double>("sum_of_blocks", 1), cleared_scratch<int>("blocks_done", 1)),
      .fill = fill,
      .reference = reference,
      .reference_openmp = reference_openmp,
      .traffic = {.bytes_read = static_cast<double>(n) * sizeof(float),
                  .bytes_written = sizeof(float),
                  .operations = static_cast<double>(n)},
      // Every order of adding rounds otherwise. No thread adds more than some thousand values one by one, and
      // their rounding errors, 2^-25 each on average, mostly cancel.
      .tolerance = {.relative = 1e-5},
      .element = "sum",
      .first_item = [](const Arrays&, std::size_t) { return std::nullopt; }};  // all threads make the one sum
}

// A launch leaves one sum for every block. The next adds those up, and so on, until one is left.
std::function<void(Execution&)> in_passes(const std::string& kernel) {
  return [kernel](Execution& run) {
    const unsigned threads = run.request().block_size;
    std::size_t left = run.request().size();
    auto source = input<float>("input", left);
    for (bool even = true;; even = !even) {
      const unsigned blocks = ceil_div(left, threads * elements_per_thread);
      const auto target = blocks == 1 ? output<float>("sum", 1)
                                      : scratch<float>(even ? "partials" : "partials_of_partials", blocks);
      run.launch(kernel, LaunchConfig{.grid = {blocks}, .block = {threads}},
                 kernel_parameters(source, target, scalar<int>("size", left)));
      if (blocks == 1) return;
      source = reads(target);
      left = blocks;
    }
  };
}

// All threads make one sum: none of them owns it.
LaunchConfig one_sum_of_all(const LaunchRequest& request) {
  return resident_blocks(request).config;
}

Parameters with_sum_of_blocks(const Settings& settings) {
  return kernel_parameters(input<float>("input", settings.size), cleared_scratch<double>("sum_of_blocks", 1),
                           cleared_scratch<int>("blocks_done", 1), output<float>("sum", 1),
                           scalar<int>("size", settings.size));
}

// A single thread needs no barrier.
Outcome race_within_a_block(const LaunchContext& at) {
  return at.block_size == 1 ? Outcome::right : Outcome::race;
}

constexpr BlockSizes power_of_two{.threads = 256, .power_of_two = true};
constexpr BlockSizes whole_warps{.threads = 256, .multiple_of = 32};

}  // namespace

Lesson reduction() {
  return {
      .name = "reduction",
      .title = "Add up a vector: one sum of all elements",
      .place = {.episode = 8, .step = 3},
      .page = "Shared Memory and Synchronization",
      .text = R"(The exercise of the class: all threads together compute one number. Each
thread adds up some elements, and the threads of a block add their sums in a
tree, in shared memory: 256 sums become 128, 64, 32 ... 1. A barrier stands
between the steps; without it a thread adds sums that are not there yet. Which
threads go on working matters: when they are spread (interleaved), every warp
stays busy with ever fewer of its lanes; when they are neighbours
(sequential), whole warps finish. Inside a warp, shuffles hand values from
register to register and need neither shared memory nor a barrier. Blocks
cannot wait for each other, so every block leaves its sum in global memory and
a second launch adds those; or every block adds to the result by one atomic.
The sum of floats depends on the order, so the last digits differ from the
reference's.)",
      .kernels = "reduction.cu",
      .default_size = std::size_t{1} << 25,
      .largest_size = largest_int_index,
      .problem = sum_of_vector,
      .variants = {{.name = "interleaved",
                    .kernel = "reduction_interleaved",
                    .idea = "a tree in shared memory; the threads that go on are spread over all warps",
                    .block = power_of_two,
                    .steps = in_passes("reduction_interleaved")},
                   {.name = "missing-barrier",
                    .kernel = "reduction_missing_barrier",
                    .idea = "the tree of 'sequential' without its barrier",
                    .expects = race_within_a_block,
                    .races = true,
                    .block = power_of_two,
                    .steps = in_passes("reduction_missing_barrier")},
                   {.name = "sequential",
                    .kernel = "reduction_sequential",
                    .idea = "the first half of the threads adds the second half",
                    .block = power_of_two,
                    .steps = in_passes("reduction_sequential")},
                   {.name = "shuffle",
                    .kernel = "reduction_shuffle",
                    .idea = "from register to register within a warp, then one warp adds up the block",
                    .block = whole_warps,
                    .steps = in_passes("reduction_shuffle")},
                   {.name = "block-atomic",
                    .kernel = "reduction_block_atomic",
                    .idea = "blocks stay, stride over the input, and add to the result by one atomic each",
                    .launch = one_sum_of_all,
                    .block = whole_warps},
                   {.name = "wide-loads",
                    .kernel = "reduction_wide_loads",
                    .idea = "16-byte loads, four in flight per thread",
                    .launch = one_sum_of_all,
                    .block = whole_warps},
                   {.name = "double-sums",
                    .kernel = "reduction_double",
                    .idea = "what threads and blocks have found is added up in double and rounded once",
                    .launch = one_sum_of_all,
                    .block = {.threads = 512, .multiple_of = 32},
                    .parameters = with_sum_of_blocks}},
      .yardsticks = {{.name = "cub", .idea = "cub::DeviceReduce::Sum", .library = "cub-reduce"}},
      .claims = {at_least(1.2, "sequential", "interleaved"), at_least(1.2, "block-atomic", "sequential"),
                 at_least_fewer(1.5, "active lanes", "interleaved", "sequential")},
      .limits = {{.label = "2^25",
                  .size = std::size_t{1} << 25,
                  .rung = "double-sums",
                  .yardstick = "cub",
                  .targets = {{Target::Kind::times_yardstick, 1}}},
                 {.label = "2^28",
                  .size = std::size_t{1} << 28,
                  .rung = "double-sums",
                  .yardstick = "cub",
                  .targets = {{Target::Kind::times_yardstick, 1}}}},
      .solution = "sequential",
      .shows = {.accesses = {AccessMetric::lanes_per_request}}};
}

}  // namespace gpulab::lessons
