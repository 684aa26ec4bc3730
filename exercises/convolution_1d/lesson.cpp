#include "core/lesson.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "convolution_1d/extent_of_output.hpp"
#include "convolution_1d/reference.hpp"
#include "core/number_text.hpp"
#include "core/random.hpp"

namespace gpulab::lessons {
namespace {

using convolution_1d::OutputPlaces;

constexpr std::size_t most_taps = 4096;  // as many as constant_taps has

OutputPlaces places_of(const Settings& settings) {
  return convolution_1d::output_places(settings.word("mode"), settings.size, settings.count("taps"));
}

// The diagonal of the course's two-dimensional Gaussian: exp(-x^2) at points from -2 to 2. One alone is the
// middle.
float gaussian_tap(std::size_t i, std::size_t taps) {
  const double x = taps == 1 ? 0 : -2 + 4 * static_cast<double>(i) / static_cast<double>(taps - 1);
  return static_cast<float>(std::exp(-x * x));
}

// Unlike a Gaussian, it is another filter when it is turned round.
float ramp_tap(std::size_t i, std::size_t taps) {
  return static_cast<float>(i + 1) / static_cast<float>(taps);
}

void fill(const Settings& settings, Arrays& inputs, std::uint64_t seed) {
  const auto input = inputs.get<float>("input"), filter = inputs.get<float>("filter");
#pragma omp parallel for
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = 2 * random_float(seed, i) - 1;
  const auto tap = settings.word("filter") == "ramp" ? ramp_tap : gaussian_tap;
  for (std::size_t i = 0; i < filter.size(); ++i) filter[i] = tap(i, filter.size());
}

// Everything but the filter, which lies in constant memory.
Parameters without_filter(const Settings& settings) {
  const auto [length, offset] = places_of(settings);
  return kernel_parameters(input<float>("input", settings.size), output<float>("output", length),
                           scalar<int>("size", settings.size), scalar<int>("taps", settings.count("taps")),
                           scalar<int>("output_size", length), scalar<int>("offset", offset));
}

// What a filter gives that is not turned round.
void correlate(std::size_t offset, const Arrays& inputs, Arrays& outputs) {
  const auto filter = inputs.get<float>("filter");
  const std::vector<float> turned(filter.rbegin(), filter.rend());
  convolution_1d::convolve_openmp(inputs.get<float>("input"), turned, offset, outputs.get<float>("output"));
}

Problem convolved(const Settings& settings) {
  const std::size_t n = settings.size, taps = settings.count("taps");
  const auto [length, offset] = places_of(settings);
  return {.description = grouped(n) + " float32, uniform in [-1, 1), " + settings.word("filter") + " of " +
                         grouped(taps) + ", '" + settings.word("mode") + "': " + grouped(length) + " outputs",
          .parameters = kernel_parameters(input<float>("input", n), input<float>("filter", taps),
                                          output<float>("output", length), scalar<int>("size", n),
                                          scalar<int>("taps", taps), scalar<int>("output_size", length),
                                          scalar<int>("offset", offset)),
          .work = Extent{static_cast<unsigned>(length)},
          .fill = [settings](Arrays& inputs, std::uint64_t seed) { fill(settings, inputs, seed); },
          .reference =
              [offset = offset](const Arrays& inputs, Arrays& outputs) {
                convolution_1d::convolve(inputs.get<float>("input"), inputs.get<float>("filter"), offset,
                                         outputs.get<float>("output"));
              },
          .reference_openmp =
              [offset = offset](const Arrays& inputs, Arrays& outputs) {
                convolution_1d::convolve_openmp(inputs.get<float>("input"), inputs.get<float>("filter"),
                                                offset, outputs.get<float>("output"));
              },
          .traffic = {.bytes_read = static_cast<double>(n + taps) * sizeof(float),
                      .bytes_written = static_cast<double>(length) * sizeof(float),
                      .operations = 2 * static_cast<double>(std::min(n, length)) * static_cast<double>(taps)},
          // So many products of at most 1 are rounded, and their sums: by 2^-24 of what the taps may add up
          // to each time, in the reference and on the device. The errors mostly cancel.
          .tolerance = {.absolute = 0x1p-23 * std::pow(static_cast<double>(taps), 1.5)},
          .typically_wrong = {{"filter-not-turned",
                               "every output is what a correlation gives: consistent with a filter that is "
                               "not turned round",
                               [offset = offset](const Arrays& inputs, Arrays& outputs) {
                                 correlate(offset, inputs, outputs);
                               }}}};
}

// The tile holds the block's inputs and, with the halo, those that the filter reaches beside them.
ChosenLaunch with_tile(const LaunchRequest& request, std::size_t tile) {
  ChosenLaunch chosen = one_thread_per_element(request);
  chosen.config.dynamic_shared_bytes = tile * sizeof(float);
  return chosen;
}

ChosenLaunch tile_and_halo(const LaunchRequest& request) {
  return with_tile(request, request.block_size + request.settings.count("taps") - 1);
}

constexpr unsigned outputs_in_registers = 13;

LaunchConfig thirteen_outputs_per_thread(const LaunchRequest& request) {
  const unsigned outputs = outputs_in_registers * request.block_size;
  return {.grid = {ceil_div(request.size(), outputs)},
          .block = {request.block_size},
          .dynamic_shared_bytes = (outputs + request.settings.count("taps") - 1) * sizeof(float)};
}

ChosenLaunch tile_alone(const LaunchRequest& request) {
  return with_tile(request, request.block_size);
}

// Right as long as every block finds in its tile whatever it needs of the input.
Outcome right_where_tiles_suffice(const LaunchContext& at) {
  using Index = std::ptrdiff_t;
  const auto [length, offset] = places_of(at.settings);
  const auto taps = static_cast<Index>(at.settings.count("taps")), block = static_cast<Index>(at.block_size);
  const auto first_place = static_cast<Index>(offset), past_end = first_place + static_cast<Index>(length);
  for (Index place = first_place; place < past_end; place += block) {
    const Index first_needed = std::max<Index>(0, place - (taps - 1));
    const Index last_needed =
        std::min(static_cast<Index>(at.settings.size), std::min(place + block, past_end)) - 1;
    const Index first_in_tile = place - taps / 2;
    if (first_needed > last_needed) continue;
    if (first_needed < first_in_tile || last_needed >= first_in_tile + block) return Outcome::wrong;
  }
  return Outcome::right;
}

const std::vector<Symbol> filter_in_constant_memory{{.name = "constant_taps", .array = "filter"}};

}  // namespace

Lesson convolution_1d() {
  return {.name = "convolution-1d",
          .title = "Filter a signal: constant memory, tiles and halos",
          .place = {.episode = 2, .step = 2},
          .page = "Using your GPU with CuPy",
          .text = R"(Each output is a weighted sum of neighbouring inputs, with the filter turned
round: output[i] is the sum of filter[j] * input[i - j]. The course calls
np.convolve; these are the kernels behind such a call, with its three sizes:
'full' wherever filter and signal meet, 'same' as long as the longer, 'valid'
where the filter lies wholly inside. All threads use the same tap at the same
time, which is what constant memory is made for. Neighbouring outputs use
almost the same inputs, so a block can copy them to shared memory once: its
own and, on the side, a halo of taps - 1 more. Without the halo the outputs at
the edges of every block are wrong, and all others right.)",
          .kernels = "convolution_1d.cu",
          .default_size = std::size_t{1} << 22,
          .largest_size = largest_int_index - most_taps,
          .options = {{.name = "mode",
                       .help = "which outputs are computed, as numpy.convolve has it",
                       .kind = Choice{{"full", "same", "valid"}}},
                      {.name = "taps",
                       .help = "length of the filter",
                       .kind = Count{.default_value = 15, .max = most_taps}},
                      {.name = "filter",
                       .help = "the filter; a Gaussian does not show whether it is turned round, a ramp does",
                       .kind = Choice{{"gaussian", "ramp"}}}},
          .problem = convolved,
          .variants = {{.name = "naive",
                        .kernel = "convolution_1d_naive",
                        .idea = "one thread per output, everything from global memory"},
                       {.name = "constant",
                        .kernel = "convolution_1d_constant",
                        .idea = "the filter in constant memory",
                        .parameters = without_filter,
                        .symbols = filter_in_constant_memory},
                       {.name = "missing-halo",
                        .kernel = "convolution_1d_missing_halo",
                        .idea = "a tile of the input in shared memory, and nothing beside it",
                        .launch = tile_alone,
                        .expects = right_where_tiles_suffice,
                        .parameters = without_filter,
                        .symbols = filter_in_constant_memory},
                       {.name = "tiled",
                        .kernel = "convolution_1d_tiled",
                        .idea = "the tile with its halo",
                        .launch = tile_and_halo,
                        .parameters = without_filter,
                        .symbols = filter_in_constant_memory},
                       {.name = "window",
                        .kernel = "convolution_1d_window",
                        .idea = "thirteen outputs per thread, the inputs that move past them in registers",
                        .launch = thirteen_outputs_per_thread,
                        .block = {.threads = 128, .max = 512},
                        .parameters = without_filter,
                        .symbols = filter_in_constant_memory}},
          .limits = {{.label = "2^25, 15 taps",
                      .size = std::size_t{1} << 25,
                      .rung = "window",
                      .yardstick = "naive",
                      .targets = {{Target::Kind::part_of_ceiling, 0.85}}}},
          .solution = "tiled"};
}

}  // namespace gpulab::lessons
