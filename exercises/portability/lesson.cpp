#include "lesson/lesson.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "lesson/arrays.hpp"

namespace gpulab::lessons::portability {

constexpr unsigned block_size = 256;

const Input<int> input{"input"};
const Output<int> sums{"sums"}, positive{"positive"};
const Scalar<int> size{"size"};

// Fills the outputs with sums and counts in which an element counts `times(its index in the block)` times.
Reference over_elements(const std::function<int(std::size_t index)>& times) {
  return [=](const Inputs& inputs, Outputs& outputs) {
    const auto values = inputs[input];
    const auto sum = outputs[sums], count = outputs[positive];
    std::ranges::fill(sum, 0);
    std::ranges::fill(count, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int counts = times(i % block_size);
      sum[i / block_size] += counts * values[i];
      count[i / block_size] += values[i] > 0 ? counts : 0;
    }
  };
}

void by_block(const Inputs& inputs, Outputs& outputs) {
  const auto values = inputs[input];
  const auto sum_of = outputs[sums], count_of = outputs[positive];
#pragma omp parallel for
  for (std::size_t block = 0; block < sum_of.size(); ++block) {
    const auto first = block * block_size;
    const auto elements = values.subspan(first, std::min<std::size_t>(block_size, values.size() - first));
    sum_of[block] = std::reduce(elements.begin(), elements.end());
    count_of[block] = static_cast<int>(std::ranges::count_if(elements, [](int value) { return value > 0; }));
  }
}

// Returns a number from 1 to 1 000, or the negative of one.
int either_sign(std::uint64_t seed, std::size_t i) {
  const std::uint64_t bits = random_bits(seed, i);
  const int value = static_cast<int>(bits % 1000) + 1;
  return bits >> 63 ? value : -value;
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  const std::size_t blocks = ceil_div(n, block_size);
  return {
      .description = grouped(n) + " int32, a sum for each 256 of them",
      .arrays = {input(n), sums(blocks), positive(blocks)},
      .scalars = {size(n)},
      .fill = each_element(input, either_sign),
      .references = {.plain = over_elements([](std::size_t) { return 1; }), .openmp = by_block},
      .traffic = {.operations = static_cast<double>(n)},
      .element = "sum",
      .work = WorkOver{input, "all threads of a block make one sum"},
      .typically_wrong = {
          {"skipped-elements", "elements 32 to 63 of each 64 are missing",
           over_elements([](std::size_t index) { return index % 64 < 32; })},
          {"skipped-elements", "only the first 32 elements of each block are in it",
           over_elements([](std::size_t index) { return index < 32; })},
          {"skipped-elements", "only the first 64 elements of each block are in it",
           over_elements([](std::size_t index) { return index < 64; })},
          {"counted-twice", "each sum counts the first 32 elements of its block twice",
           over_elements([](std::size_t index) { return index < 32 ? 2 : 1; })},
          {"doubled", "each sum counts the first 32 of each 64 elements twice, and the others not at all",
           over_elements([](std::size_t index) { return index % 64 < 32 ? 2 : 0; })},
          {"doubled", "each sum is twice what it should be", over_elements([](std::size_t) { return 2; })}}};
}

// Returns a fault in warps of 64 lanes, as AMD's wavefronts are.
Outcome stopped_in_64_lanes(const LaunchContext& at) {
  return at.warp_size == 64 ? Outcome::faults : Outcome::right;
}

Outcome wrong_in_64_lanes(const LaunchContext& at) {
  return at.warp_size == 64 ? Outcome::wrong : Outcome::right;
}

constexpr BlockSizes fixed = only_blocks_of(block_size);

Lesson lesson() {
  return {.name = "portability",
          .title = "One kernel for warps of 32 and of 64 lanes: CUDA and ROCm",
          .place = {.episode = 8, .step = 6},
          .page = "no page of its own: the course's outline asks for CUDA or ROCm",
          .default_size = std::size_t{1} << 22,
          .problem = problem,
          .arguments = {input, sums, size},
          .variants = {{.name = "tree",
                        .kernel = "sum_by_tree",
                        .idea = "tree reduction in shared memory, without warps",
                        .block = fixed,
                        .computes = {sums}},
                       {.name = "hard-coded",
                        .kernel = "sum_of_32_lanes",
                        .idea = "shuffles in a hard-coded warp of 32 lanes",
                        .expects = stopped_in_64_lanes,
                        .block = fixed,
                        .computes = {sums}},
                       {.name = "warp-size",
                        .kernel = "sum_of_a_warp",
                        .idea = "shuffles with warpSize and a mask of all lanes",
                        .block = fixed,
                        .computes = {sums}},
                       {.name = "width",
                        .kernel = "sum_of_a_width",
                        .idea = "shuffles in groups of 32 lanes in any warp",
                        .block = fixed,
                        .computes = {sums}},
                       {.name = "ballot-in-unsigned",
                        .kernel = "count_in_unsigned",
                        .idea = "counts with a ballot in 32 bits",
                        .expects = wrong_in_64_lanes,
                        .block = fixed,
                        .arguments = {input, positive, size},
                        .computes = {positive}},
                       {.name = "ballot",
                        .kernel = "count_in_mask",
                        .idea = "counts with a ballot in as many bits as lanes",
                        .block = fixed,
                        .arguments = {input, positive, size},
                        .computes = {positive}}},
          .solution = "warp-size",
          .is_checked_with_64_lanes = true};
}

}  // namespace gpulab::lessons::portability
