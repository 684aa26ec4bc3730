#include "core/lesson.hpp"

#include "core/number_text.hpp"
#include "core/random.hpp"

namespace gpulab::lessons {
namespace {

// A factor belongs to a block of that many elements, so blocks have that many threads.
constexpr std::size_t elements_of_a_factor = 1024;
constexpr std::size_t lanes = 32;
constexpr std::size_t floats_in_constant_memory = 16384;

std::size_t factors_for(std::size_t size) {
  return ceil_div(size, elements_of_a_factor);
}

void fill(Arrays& inputs, std::uint64_t seed) {
  const auto factors = inputs.get<float>("factors"), per_lane = inputs.get<float>("factors per lane");
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = 0.5f + random_float(3 * seed + 2, i);
  for (std::size_t i = 0; i < per_lane.size(); ++i) per_lane[i] = factors[i / lanes];
  const auto A = inputs.get<float>("A"), B = inputs.get<float>("B");
#pragma omp parallel for
  for (std::size_t i = 0; i < A.size(); ++i) {
    A[i] = random_float(3 * seed, i);
    B[i] = random_float(3 * seed + 1, i);
  }
}

void reference(const Arrays& inputs, Arrays& outputs) {
  const auto A = inputs.get<float>("A"), B = inputs.get<float>("B"), factors = inputs.get<float>("factors");
  const auto C = outputs.get<float>("C");
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = (A[i] + B[i]) * factors[i / elements_of_a_factor];
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  const auto A = inputs.get<float>("A"), B = inputs.get<float>("B"), factors = inputs.get<float>("factors");
  const auto C = outputs.get<float>("C");
#pragma omp parallel for simd
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = (A[i] + B[i]) * factors[i / elements_of_a_factor];
}

Parameters without_factors(const Settings& settings) {
  const std::size_t n = settings.size;
  return kernel_parameters(input<float>("A", n), input<float>("B", n), output<float>("C", n),
                           scalar<int>("size", n));
}

Problem sum_and_multiply(const Settings& settings) {
  const std::size_t n = settings.size, factors = factors_for(n);
  const double bytes = static_cast<double>(n) * sizeof(float);
  return {
      .description = grouped(n) + " float32, " + grouped(factors) + (factors == 1 ? " factor" : " factors"),
      .parameters =
          kernel_parameters(input<float>("A", n), input<float>("B", n), input<float>("factors", factors),
                            output<float>("C", n), scalar<int>("size", n)),
      .others = other_arrays(input<float>("factors per lane", factors * lanes)),
      .fill = fill,
      .reference = reference,
      .reference_openmp = reference_openmp,
      .traffic = {.bytes_read = 2 * bytes,
                  .bytes_written = bytes,
                  .operations = 2.0 * static_cast<double>(n)},
      .tolerance = exact,  // a sum, rounded, and a product, rounded, on every device
      .uses = [](std::size_t i) {
        return std::vector<InputElement>{{"A", i}, {"B", i}, {"factors", i / elements_of_a_factor}};
      }};
}

Outcome fits_with_one_copy(const LaunchContext& at) {
  return factors_for(at.size()) <= floats_in_constant_memory ? Outcome::right : Outcome::fails_to_launch;
}

Outcome fits_with_a_copy_per_lane(const LaunchContext& at) {
  return factors_for(at.size()) * lanes <= floats_in_constant_memory ? Outcome::right
                                                                     : Outcome::fails_to_launch;
}

}  // namespace

Lesson constant() {
  return {
      .name = "constant",
      .title = "Constant memory: one word for a whole warp at a time",
      .place = {.episode = 9, .step = 1},
      .page = "Constant Memory",
      .text = R"(Constant memory is 64 KiB that kernels only read. It is declared outside of
the kernel, and the host fills it before the launch: cudaMemcpyToSymbol looks
its address up and copies. Its cache hands one word to all threads of a warp
at once, which suits values that are the same for a whole block, as here one
factor for each. Where lanes want different words they are served one after
another. The declaration fixes the size: 16 384 floats fill the 64 KiB, so a
grid of 16 385 blocks has one factor too many, and there the factors have to
be in global memory.)",
      .kernels = "constant.cu",
      .default_size = 2048,
      .largest_size = largest_int_index,
      .problem = sum_and_multiply,
      .variants = {{.name = "global",
                    .kernel = "sum_and_multiply_global",
                    .idea = "the factors in global memory",
                    .block = only_blocks_of(elements_of_a_factor)},
                   {.name = "per-lane",
                    .kernel = "sum_and_multiply_per_lane",
                    .idea = "a copy of each factor for every lane, in constant memory: served one by one",
                    .expects = fits_with_a_copy_per_lane,
                    .block = only_blocks_of(elements_of_a_factor),
                    .source = "constant_per_lane.cu",
                    .parameters = without_factors,
                    .symbols = {{"factors_per_lane", "factors per lane"}}},
                   {.name = "constant",
                    .kernel = "sum_and_multiply_constant",
                    .idea = "the factors in constant memory",
                    .expects = fits_with_one_copy,
                    .block = only_blocks_of(elements_of_a_factor),
                    .parameters = without_factors,
                    .symbols = {{"factors_constant", "factors"}}},
                   {.name = "wide-loads",
                    .kernel = "sum_and_multiply_wide",
                    .idea = "the factors in global memory; four elements per thread, 16 bytes at a time",
                    .launch = one_thread_per_four_elements,
                    .block = only_blocks_of(elements_of_a_factor / 4)}},
      .yardsticks = {{.name = "cub",
                      .idea = "cub::DeviceTransform::Transform",
                      .library = "cub-transform-factors"}},
      .limits = {{.label = "2^28",
                  .size = std::size_t{1} << 28,
                  .rung = "wide-loads",
                  .yardstick = "cub",
                  .targets = {{Target::Kind::times_yardstick, 1}, {Target::Kind::part_of_ceiling, 0.95}}}},
      .solution = "constant"};
}

}  // namespace gpulab::lessons
