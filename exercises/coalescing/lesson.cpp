#include "lesson/lesson.hpp"

#include "coalescing/questions.hpp"
#include "lesson/arrays.hpp"

namespace gpulab::lessons::coalescing {

constexpr std::size_t floats_of_a_point = 4;

const Input<float> input{"input"}, points{"points"};
const Output<float> output{"output"};
const Scalar<int> size{"size"}, stride_of_threads{"stride"};

// Fills both inputs: the first number of point i is element i of the input.
void fill(Inputs& inputs, std::uint64_t seed) {
  const auto values = inputs[input], numbers = inputs[points];
#pragma omp parallel for
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = random_float(2 * seed, i);
    numbers[floats_of_a_point * i] = values[i];
    for (std::size_t field = 1; field < floats_of_a_point; ++field)
      numbers[floats_of_a_point * i + field] = random_float(2 * seed + field, i);
  }
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  return {.description = grouped(n) + " float32, uniform in [0, 1)",
          .arrays = {input(n), output(n), points(floats_of_a_point * n)},
          .scalars = {size(n)},
          .fill = fill,
          .references = elementwise(
              output, [](float value) { return 2 * value; }, input),
          .traffic = {.operations = static_cast<double>(n)},
          .copied = {input, output}};
}

Variant strided(unsigned stride) {
  const std::string idea =
      stride == 1 ? "coalesced: neighbouring threads take neighbouring elements"
                  : "strided: neighbouring threads take elements " + std::to_string(stride) + " apart";
  return {.name = "stride-" + std::to_string(stride),
          .kernel = "scale_strided",
          .idea = idea,
          .launch =
              [stride](const LaunchRequest& request) {
                const std::size_t threads = std::size_t{ceil_div(request.size(), stride)} * stride;
                return LaunchConfig{.grid = {ceil_div(threads, request.block_size)},
                                    .block = {request.block_size}};
              },
          .arguments = {input, output, size, stride_of_threads(stride)}};
}

// Leaves the ownership unknown: thread i takes the element after the i-th.
LaunchConfig one_element_further(const LaunchRequest& request) {
  return one_thread_per_element(request).config;
}

Lesson lesson() {
  return {.name = "coalescing",
          .title = "Coalesced access: adjacent threads take adjacent elements",
          .place = {.episode = 7, .step = 2},
          .page = "section 4.6 of the outline of July 2025 (memory coalescing)",
          .default_size = std::size_t{1} << 22,
          .largest_size = largest_int_index / 4,
          .problem = problem,
          .arguments = {input, output, size},
          .variants = {strided(1),
                       strided(2),
                       strided(4),
                       strided(8),
                       strided(16),
                       strided(32),
                       {.name = "misaligned",
                        .kernel = "scale_misaligned",
                        .idea = "coalesced, but misaligned: begins one element into a sector",
                        .launch = one_element_further},
                       {.name = "array-of-structs",
                        .kernel = "scale_array_of_structs",
                        .idea = "array of structures: one field of four",
                        .arguments = {as_vectors<floats_of_a_point>(points), output, size}},
                       {.name = "struct-of-arrays",
                        .kernel = "scale_struct_of_arrays",
                        .idea = "structure of arrays: one field of four"}},
          // On an H200, 3.1 to 3.9 times at 2^20 and 2^21, 5.2 times at 2^22, 12 times at 2^24.
          .claims = {from_size(std::size_t{1} << 22, at_least(3.0, "stride-1", "stride-32")),
                     at_least_fewer(8, "sectors per load", "stride-1", "stride-32"),
                     at_least_fewer(4, "sectors per load", "struct-of-arrays", "array-of-structs")},
          .solution = "stride-1",
          .shows = {.accesses = {AccessMetric::sectors_per_load, AccessMetric::sectors_per_store}},
          .sheet = questions()};
}

}  // namespace gpulab::lessons::coalescing
