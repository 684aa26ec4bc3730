#include "lesson/lesson.hpp"

#include "lesson/arrays.hpp"

namespace gpulab::lessons::constant {

// Elements that share a factor; blocks have as many threads.
constexpr std::size_t elements_per_factor = 1024;
constexpr std::size_t lanes = 32;
constexpr std::size_t floats_in_constant_memory = 16384;

std::size_t factors_for(std::size_t size) {
  return ceil_div(size, elements_per_factor);
}

const Input<float> A{"A"}, B{"B"}, factors{"factors"}, factors_per_lane{"factors per lane"};
const Output<float> C{"C"};
const Scalar<int> size{"size"};

void fill(Inputs& inputs, std::uint64_t seed) {
  const auto per_block = inputs[factors], per_lane = inputs[factors_per_lane];
  for (std::size_t i = 0; i < per_block.size(); ++i) per_block[i] = 0.5f + random_float(3 * seed + 2, i);
  for (std::size_t i = 0; i < per_lane.size(); ++i) per_lane[i] = per_block[i / lanes];
  const auto a = inputs[A], b = inputs[B];
#pragma omp parallel for if (a.size() >= min_parallel_size)
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = random_float(3 * seed, i);
    b[i] = random_float(3 * seed + 1, i);
  }
}

// Multiplies by the factor at another index. Past the last factor constant memory is 0.
Reference times_factor_at(std::size_t (*index)(std::size_t item)) {
  const auto formula = [=](std::size_t i, auto a, auto b, auto factor) {
    return (a[i] + b[i]) * (index(i) < factor.size() ? factor[index(i)] : 0);
  };
  return by_index(C, formula, A, B, factors).plain;
}

Problem problem(const Settings& settings) {
  const std::size_t first = settings.begins_at, n = settings.size - first,
                    blocks = factors_for(settings.size);
  const auto sum_times_factor = [first](std::size_t i, auto a, auto b, auto factor) {
    return (a[i] + b[i]) * factor[(first + i) / elements_per_factor];
  };
  return {
      .description =
          grouped(settings.size) + " float32, " + grouped(blocks) + (blocks == 1 ? " factor" : " factors"),
      .arrays = {A(n), B(n), factors(blocks), C(n), factors_per_lane(blocks * lanes)},
      .scalars = {size(settings.size)},
      .fill = fill,
      .edges = with_edges({A, B}, edges_up_to_one),
      .references = by_index(C, sum_times_factor, A, B, factors),
      .traffic = {.bytes_read = 2.0 * static_cast<double>(n) * sizeof(float),  // the factors are few
                  .operations = 2.0 * static_cast<double>(n)},
      // A[i] * factor + B[i] * factor has three roundings, and fmaf has two others.
      .tolerance = {.relative = 0x1p-22, .absolute = 0x1p-23},
      .typically_wrong =
          {{"input-index", "{} sum is multiplied by the factor at threadIdx.x, not at the block",
            times_factor_at([](std::size_t i) { return i % elements_per_factor; })},
           {"input-index", "{} sum is multiplied by the factor at its own index, not at the block",
            times_factor_at([](std::size_t i) { return i; })},
           {"input-index",
            "{} sum is multiplied by the factor at its index / 256, but blocks have 1024 threads",
            times_factor_at([](std::size_t i) { return i / 256; })}},
      .uses =
          [first](std::size_t i) {
            return std::vector<InputElement>{{A, i}, {B, i}, {factors, (first + i) / elements_per_factor}};
          },
      .copied = {A, B, factors, C}};
}

Outcome fits_with_one_copy(const LaunchContext& at) {
  return factors_for(at.size()) <= floats_in_constant_memory ? Outcome::right : Outcome::fails_to_launch;
}

Outcome fits_with_a_copy_per_lane(const LaunchContext& at) {
  return factors_for(at.size()) * lanes <= floats_in_constant_memory ? Outcome::right
                                                                     : Outcome::fails_to_launch;
}

Lesson lesson() {
  return {.name = "constant",
          .title = "Constant memory: one word broadcast to a whole warp",
          .place = {.episode = 9, .step = 1},
          .page = "Constant Memory",
          .default_size = 2048,
          .problem = problem,
          .arguments = {A, B, factors, C, size},
          .variants = {{.name = "global",
                        .kernel = "sum_and_multiply_global",
                        .idea = "factors in global memory",
                        .block = only_blocks_of(elements_per_factor)},
                       {.name = "per-lane",
                        .kernel = "sum_and_multiply_per_lane",
                        .idea = "a factor copy per lane, in constant memory: reads are serialised",
                        .expects = fits_with_a_copy_per_lane,
                        .block = only_blocks_of(elements_per_factor),
                        .source = "constant_per_lane.cu",
                        .arguments = {A, B, C, size},
                        .symbols = {{"factors_per_lane", factors_per_lane}}},
                       {.name = "constant",
                        .kernel = "sum_and_multiply_constant",
                        .idea = "factors in constant memory",
                        .expects = fits_with_one_copy,
                        .block = only_blocks_of(elements_per_factor),
                        .arguments = {A, B, C, size},
                        .symbols = {{"factors_constant", factors}}},
                       {.name = "wide-loads",
                        .kernel = "sum_and_multiply_wide",
                        .idea = "factors in global memory; vectorised: four elements (16 bytes) per thread",
                        .launch = one_thread_per_four_elements,
                        .block = only_blocks_of(elements_per_factor / 4)}},
          .yardsticks = {{.name = "cub",
                          .idea = "cub::DeviceTransform::Transform",
                          .library = "cub-transform-factors"}},
          .limits = {{.label = "2^28",
                      .size = std::size_t{1} << 28,
                      .variant = "wide-loads",
                      .yardstick = "cub",
                      .min_fraction_of_ceiling = 0.97}},
          .solution = "constant",
          .checked_far = {.sizes = {floats_in_constant_memory * elements_per_factor - 5}}};
}

}  // namespace gpulab::lessons::constant
