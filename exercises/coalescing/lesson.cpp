#include "core/lesson.hpp"

#include "coalescing/questions.hpp"
#include "core/number_text.hpp"
#include "core/random.hpp"

namespace gpulab::lessons {
namespace {

constexpr std::size_t floats_of_a_point = 4;

void fill(Arrays& inputs, std::uint64_t seed) {
  const auto input = inputs.get<float>("input"), points = inputs.get<float>("points");
#pragma omp parallel for
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = random_float(2 * seed, i);
    points[floats_of_a_point * i] = input[i];
    for (std::size_t other = 1; other < floats_of_a_point; ++other)
      points[floats_of_a_point * i + other] = random_float(2 * seed + other, i);
  }
}

void reference(const Arrays& inputs, Arrays& outputs) {
  const auto input = inputs.get<float>("input");
  const auto output = outputs.get<float>("output");
  for (std::size_t i = 0; i < output.size(); ++i) output[i] = 2 * input[i];
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  const auto input = inputs.get<float>("input");
  const auto output = outputs.get<float>("output");
#pragma omp parallel for simd
  for (std::size_t i = 0; i < output.size(); ++i) output[i] = 2 * input[i];
}

Parameters of_points(const Settings& settings) {
  const std::size_t n = settings.size;
  return kernel_parameters(read_as<Vector<float, 4>>(input<float>("points", floats_of_a_point * n)),
                           output<float>("output", n), scalar<int>("size", n));
}

Parameters of_floats(const Settings& settings) {
  const std::size_t n = settings.size;
  return kernel_parameters(input<float>("input", n), output<float>("output", n), scalar<int>("size", n));
}

Problem scaling(const Settings& settings) {
  const std::size_t n = settings.size;
  const double bytes = static_cast<double>(n) * sizeof(float);
  return {.description = grouped(n) + " float32, uniform in [0, 1)",
          .parameters = of_floats(settings),
          .others = other_arrays(input<float>("points", floats_of_a_point * n)),
          .fill = fill,
          .reference = reference,
          .reference_openmp = reference_openmp,
          .traffic = {.bytes_read = bytes, .bytes_written = bytes, .operations = static_cast<double>(n)},
          .tolerance = exact};
}

Variant strided(unsigned stride) {
  const std::string idea = stride == 1
                               ? "neighbouring threads take neighbouring elements"
                               : "neighbouring threads take elements " + std::to_string(stride) + " apart";
  return {.name = "stride-" + std::to_string(stride),
          .kernel = "scale_strided",
          .idea = idea,
          .launch =
              [stride](const LaunchRequest& request) {
                const std::size_t threads = std::size_t{ceil_div(request.size(), stride)} * stride;
                return LaunchConfig{.grid = {ceil_div(threads, request.block_size)},
                                    .block = {request.block_size}};
              },
          .parameters =
              [stride](const Settings& settings) {
                const std::size_t n = settings.size;
                return kernel_parameters(input<float>("input", n), output<float>("output", n),
                                         scalar<int>("size", n), scalar<int>("stride", stride));
              }};
}

// Nothing is said of whose element is whose: thread i takes the element after the i-th.
LaunchConfig one_element_further(const LaunchRequest& request) {
  return one_thread_per_element(request).config;
}

}  // namespace

Lesson coalescing() {
  return {.name = "coalescing",
          .title = "Coalesced access: neighbours take neighbours",
          .place = {.episode = 7, .step = 2},
          .page = "section 4.6 of the outline of July 2025 (memory coalescing)",
          .text = R"(A load of a warp is one request for all its 32 threads. The hardware fetches
memory in sectors of 32 bytes, so what a request costs is the number of
sectors that its threads touch together: 4 for 32 neighbouring floats, 32 when
each thread needs a sector of its own. That the accesses of neighbouring
threads fall together is called coalescing; it is about the order in which a
kernel goes through memory, and not about making one large copy of many small
ones, as the outline has it (that is batching: see transfers). An array of
structures spreads its fields by the size of the structure; a structure of
arrays keeps each field together. Sectors are counted on the simulator; on a
GPU the same is seen as GB/s.)",
          .kernels = "coalescing.cu",
          .default_size = std::size_t{1} << 22,
          .largest_size = largest_int_index / 4,
          .problem = scaling,
          .variants = {strided(1),
                       strided(2),
                       strided(4),
                       strided(8),
                       strided(16),
                       strided(32),
                       {.name = "misaligned",
                        .kernel = "scale_misaligned",
                        .idea = "neighbours take neighbours, beginning one element after a sector does",
                        .launch = one_element_further},
                       {.name = "array-of-structs",
                        .kernel = "scale_array_of_structs",
                        .idea = "one field of four, all four side by side",
                        .parameters = of_points},
                       {.name = "struct-of-arrays",
                        .kernel = "scale_struct_of_arrays",
                        .idea = "one field of four, each field by itself"}},
          .claims = {at_least(3.0, "stride-1", "stride-32"),
                     at_least_fewer(8, "sectors per load", "stride-1", "stride-32"),
                     at_least_fewer(4, "sectors per load", "struct-of-arrays", "array-of-structs")},
          .solution = "stride-1",
          .shows = {.accesses = {AccessMetric::sectors_per_load, AccessMetric::sectors_per_store}},
          .sheet = coalescing_questions()};
}

}  // namespace gpulab::lessons
