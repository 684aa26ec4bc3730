#include "lesson/lesson.hpp"

#include <algorithm>

#include "lesson/arrays.hpp"
#include "lesson/demands.hpp"

namespace gpulab::lessons::divergence {

constexpr int steps = 64;

float step_up(float x, int count = steps) {
  for (int step = 0; step < count; ++step) x = 1.001f * x + 0.25f;
  return x;
}

float step_down(float x, int count = steps) {
  for (int step = 0; step < count; ++step) x = 0.999f * x - 0.125f;
  return x;
}

const Input<float> input{"input"};
const Input<int> kind{"kind"};
const Output<float> output{"output"}, by_kind{"by_kind"};
const Scalar<int> size{"size"};

void fill(Inputs& inputs, std::uint64_t seed) {
  const auto values = inputs[input];
  const auto kinds = inputs[kind];
#pragma omp parallel for if (values.size() >= min_parallel_size)
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1000 * random_float(2 * seed, i);
    kinds[i] = static_cast<int>(random_bits(2 * seed + 1, i) >> 63);
  }
}

void branch(const Inputs& inputs, Outputs& outputs) {
  const auto values = inputs[input];
  const auto kinds = inputs[kind];
  const auto by_place = outputs[output], by_data = outputs[by_kind];
  for (std::size_t i = 0; i < values.size(); ++i) {
    by_place[i] = i % 2 == 0 ? step_up(values[i]) : step_down(values[i]);
    by_data[i] = kinds[i] == 0 ? step_up(values[i]) : step_down(values[i]);
  }
}

// Computes both results and selects one, as a CPU's vector unit treats a branch: predication.
void choose(const Inputs& inputs, Outputs& outputs) {
  const auto values = inputs[input];
  const auto kinds = inputs[kind];
  const auto by_place = outputs[output], by_data = outputs[by_kind];
#pragma omp parallel for simd
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float up = step_up(values[i]), down = step_down(values[i]);
    by_place[i] = i % 2 == 0 ? up : down;
    by_data[i] = kinds[i] == 0 ? up : down;
  }
}

using Branch = float (*)(float x, int count);

// Returns a reference in which even and odd elements take these branches, of `count` steps each.
Reference with_branches(Branch even, Branch odd, int count = steps) {
  return [=](const Inputs& inputs, Outputs& outputs) {
    const auto values = inputs[input];
    const auto by_place = outputs[output];
    std::ranges::fill(outputs[by_kind], 0.0f);
    for (std::size_t i = 0; i < values.size(); ++i) by_place[i] = (i % 2 == 0 ? even : odd)(values[i], count);
  };
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size - settings.begins_at;  // an even element is the first
  return {
      .description = grouped(settings.size) + " float32, two kinds of work",
      .arrays = {input(n), output(n), kind(n), by_kind(n)},
      .scalars = {size(settings.size)},
      .fill = fill,
      .edges = with_edges({input}, {0.0f, -0.0f, 1, -1, 100, -100, 0x1p-126f, 0x1p-149f}),
      .references = {.plain = branch, .openmp = choose},
      .traffic = {.operations = 2.0 * steps * static_cast<double>(n)},
      .work_to_check = 16.0 * static_cast<double>(n),  // the steps touch no memory
      // A device may round a product and a sum together or apart: a difference of at most 2^-24 of the
      // value in each step. A small result of large values keeps their error.
      .tolerance = {.relative = 1e-5, .absolute = 1e-4},
      .typically_wrong =
          {{"wrong-branch", "{} element took the branch of even ones", with_branches(step_up, step_up)},
           {"wrong-branch", "{} element took the branch of odd ones", with_branches(step_down, step_down)},
           {"wrong-branch", "each took the branch of the other kind", with_branches(step_down, step_up)},
           {"skipped-elements", "each of them lacks a step: 63 and not 64",
            with_branches(step_up, step_down, steps - 1)},
           {"counted-twice", "each of them has a step too many: 65 and not 64",
            with_branches(step_up, step_down, steps + 1)}},
      .uses =
          [](std::size_t i) {
            return std::vector<InputElement>{{input, i}};
          },
      .copied = {input, output}};
}

// Two warps share 64 elements, and each takes every other one, so the grid covers a multiple of 64.
LaunchConfig whole_pairs_of_warps(const LaunchRequest& request) {
  const std::size_t threads = std::size_t{ceil_div(request.size(), 64)} * 64;
  return {.grid = {ceil_div(threads, request.block_size)}, .block = {request.block_size}};
}

Lesson lesson() {
  return {.name = "divergence",
          .title = "Divergence: when the lanes of a warp take different branches",
          .place = {.episode = 7, .step = 3},
          .page = "no page of its own: learners asked for it in class",
          .default_size = std::size_t{1} << 20,
          .problem = problem,
          .arguments = {input, output, size},
          .variants = {{.name = "by-lane",
                        .kernel = "branch_by_lane",
                        .idea = "diverges: even lanes up, odd lanes down",
                        .computes = {output}},
                       {.name = "by-data",
                        .kernel = "branch_by_data",
                        .idea = "data-dependent branch",
                        .arguments = {input, kind, by_kind, size},
                        .computes = {by_kind}},
                       {.name = "select",
                        .kernel = "select_without_branch",
                        .idea = "predication: computes both, selects one",
                        .computes = {output}},
                       {.name = "by-warp",
                        .kernel = "branch_by_warp",
                        .idea = "branch uniform within each warp",
                        .launch = whole_pairs_of_warps,
                        .computes = {output}}},
          // Measured: 1.38 times at 2^22 on an H100, 1.44 from 2^25 on, and only 1.31 at 2^20, where the
          // launch is a large part of the 8 us. On an H200 it held at 2^22 and 2^25, and not at 2^20.
          .claims = {from_size(std::size_t{1} << 22, at_least(1.3, "by-warp", "by-lane"))},
          .solution = "by-warp",
          .checked_far = {.sizes = {(std::size_t{1} << 30) - 2081}},
          .checked_blocks = {96},  // an odd number of warps
          .shows = {.accesses = {AccessMetric::lanes_per_request}},
          .demands = {
              {"diverging-lanes", "all lanes of a warp should take the same branch", diverging_accesses}}};
}

}  // namespace gpulab::lessons::divergence
