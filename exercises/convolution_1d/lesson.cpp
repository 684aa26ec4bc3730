#include "lesson/lesson.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "convolution_1d/extent_of_output.hpp"
#include "convolution_1d/reference.hpp"
#include "lesson/demands.hpp"

namespace gpulab::lessons::convolution_1d {

const Input<float> input{"input"}, filter{"filter"};
const Output<float> output{"output"};
const Scalar<int> size{"size"}, taps{"taps"}, output_size{"output_size"}, offset{"offset"};

constexpr std::size_t max_taps = 4096;  // size of constant_taps

OutputPlaces places_of(const Settings& settings) {
  return output_places(settings.word("mode"), settings.size, settings.count("taps"));
}

// Returns an element of the diagonal of the course's two-dimensional Gaussian: exp(-x^2) at points from -2 to
// 2. A single point is the middle.
float gaussian_tap(std::size_t i, std::size_t taps) {
  const double x = taps == 1 ? 0 : -2 + 4 * static_cast<double>(i) / static_cast<double>(taps - 1);
  return static_cast<float>(std::exp(-x * x));
}

// Returns an element of a ramp, which differs from a flipped ramp; a Gaussian does not.
float ramp_tap(std::size_t i, std::size_t taps) {
  return static_cast<float>(i + 1) / static_cast<float>(taps);
}

void fill(const std::string& shape, Inputs& inputs, std::uint64_t seed) {
  uniform_around_zero(input)(inputs, seed);
  const auto tap = shape == "ramp" ? ramp_tap : gaussian_tap;
  const auto values = inputs[filter];
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = tap(i, values.size());
}

// Computes the result of a filter that is not flipped: a correlation.
void correlate(std::size_t offset, const Inputs& inputs, Outputs& outputs) {
  const auto values = inputs[filter];
  const std::vector<float> flipped(values.rbegin(), values.rend());
  convolve_openmp(inputs[input], flipped, offset, outputs[output]);
}

enum class Boundary { clamp, wrap };

// Convolves as if the input went on beyond its ends.
void convolve_with(const Inputs& inputs, std::size_t offset, Boundary boundary, Outputs& outputs) {
  const auto signal = inputs[input], values = inputs[filter];
  const auto results = outputs[output];
  const auto n = std::ssize(signal);
  for (std::size_t i = 0; i < results.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto index = static_cast<std::ptrdiff_t>(i + offset) - static_cast<std::ptrdiff_t>(j);
      const auto source =
          boundary == Boundary::wrap ? (index % n + n) % n : std::clamp<std::ptrdiff_t>(index, 0, n - 1);
      sum += double{values[j]} * signal[static_cast<std::size_t>(source)];
    }
    results[i] = static_cast<float>(sum);
  }
}

TypicalResult with_offset_of(std::size_t other) {
  return {"shifted", "{} output is what an offset of " + grouped(other) + " gives",
          [=](const Inputs& in, Outputs& out) { convolve(in[input], in[filter], other, out[output]); }};
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size, m = settings.count("taps");
  const std::string shape = settings.word("filter");
  const OutputPlaces places = places_of(settings);
  const std::size_t length = places.size;
  const auto with_offset = [places](auto convolve) -> Reference {
    return
        [=](const Inputs& in, Outputs& out) { convolve(in[input], in[filter], places.offset, out[output]); };
  };
  return {
      .description = grouped(n) + " float32, uniform in [-1, 1), " + shape + " of " + grouped(m) + ", '" +
                     settings.word("mode") + "': " + grouped(length) + " outputs",
      .arrays = {input(n), filter(m), output(length)},
      .scalars = {size(n), taps(m), output_size(length), offset(places.offset)},
      .fill = [=](Inputs& inputs, std::uint64_t seed) { fill(shape, inputs, seed); },
      .edges = with_edges({input}, edges_up_to_one),
      .references = {.plain = with_offset(convolve), .openmp = with_offset(convolve_openmp)},
      .traffic = {.operations = 2 * static_cast<double>(std::min(n, length)) * static_cast<double>(m)},
      .work_to_check = 2 * static_cast<double>(length) * static_cast<double>(m),
      // m products of at most 1 and their sums are rounded, each time by 2^-24 of what the taps may add
      // up to, in the reference and on the device. The errors mostly cancel.
      .tolerance = {.absolute = 0x1p-23 * std::pow(static_cast<double>(m), 1.5)},
      .typically_wrong =
          {{"filter-not-flipped",
            "{} output is what a correlation gives: consistent with a filter that is not flipped",
            [places](const Inputs& in, Outputs& out) { correlate(places.offset, in, out); }},
           {"border", "{} output is what comes out if the input's edge elements are repeated beyond it",
            [places](const Inputs& in, Outputs& out) {
              convolve_with(in, places.offset, Boundary::clamp, out);
            }},
           {"border", "{} output is what comes out if the input wraps around at its ends",
            [places](const Inputs& in, Outputs& out) {
              convolve_with(in, places.offset, Boundary::wrap, out);
            }},
           with_offset_of(0),
           with_offset_of(m - 1),
           with_offset_of((m - 1) / 2),
           with_offset_of(m / 2)},
      .terms = {
          .name = "tap", .count = m, .compute = [places](const Inputs& in, const auto& times, Outputs& out) {
            const auto values = in[filter];
            std::vector<float> scaled(values.begin(), values.end());
            for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= static_cast<float>(times(i));
            convolve(in[input], scaled, places.offset, out[output]);
          }}};
}

// Returns one thread per element, and room for a tile of that many floats.
ChosenLaunch with_tile(const LaunchRequest& request, std::size_t floats) {
  ChosenLaunch chosen = one_thread_per_element(request);
  chosen.config.dynamic_shared_bytes = floats * sizeof(float);
  return chosen;
}

ChosenLaunch tile_and_halo(const LaunchRequest& request) {
  return with_tile(request, request.block_size + request.length(filter) - 1);
}

// Shared memory holds the tile with its halo, and the taps: both with up to three zeros on either side.
LaunchConfig twelve_outputs_per_thread(const LaunchRequest& request) {
  const unsigned outputs = 12 * request.block_size;
  return {.grid = {ceil_div(request.size(), outputs)},
          .block = {request.block_size},
          .dynamic_shared_bytes = (outputs + 2 * (request.length(filter) + 6)) * sizeof(float)};
}

ChosenLaunch tile_alone(const LaunchRequest& request) {
  return with_tile(request, request.block_size);
}

// Returns right if every block finds all the inputs that it needs in its tile.
Outcome right_where_tiles_suffice(const LaunchContext& at) {
  using Index = std::ptrdiff_t;
  const OutputPlaces places = places_of(at.settings);
  const auto taps = static_cast<Index>(at.settings.count("taps")), block = static_cast<Index>(at.block_size);
  const auto first_place = static_cast<Index>(places.offset),
             past_end = first_place + static_cast<Index>(places.size);
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

const std::vector<Symbol> filter_in_constant_memory{{"constant_taps", filter}};
const Arguments without_filter{input, output, size, taps, output_size, offset};

Lesson lesson() {
  return {.name = "convolution-1d",
          .title = "Filter a signal: constant memory, tiles and halos",
          .place = {.episode = 2, .step = 2},
          .page = "Using your GPU with CuPy",
          .default_size = std::size_t{1} << 22,
          .largest_size = largest_int_index - max_taps,
          .options = {{.name = "mode",
                       .help = "which outputs are computed, as in numpy.convolve",
                       .kind = Choice{{"full", "same", "valid"}}},
                      {.name = "taps",
                       .help = "length of the filter",
                       .kind = Count{.default_value = 15, .max = max_taps}},
                      {.name = "filter",
                       .help = "the filter; a ramp shows whether it is flipped, a Gaussian does not",
                       .kind = Choice{{"gaussian", "ramp"}}}},
          .problem = problem,
          .arguments = {input, filter, output, size, taps, output_size, offset},
          .variants = {{.name = "naive",
                        .kernel = "convolution_1d_naive",
                        .idea = "one thread per output, everything from global memory"},
                       {.name = "constant",
                        .kernel = "convolution_1d_constant",
                        .idea = "the filter in constant memory: a broadcast",
                        .arguments = without_filter,
                        .symbols = filter_in_constant_memory},
                       {.name = "missing-halo",
                        .kernel = "convolution_1d_missing_halo",
                        .idea = "a tile of the input in shared memory, without its halo",
                        .launch = tile_alone,
                        .expects = right_where_tiles_suffice,
                        .arguments = without_filter,
                        .symbols = filter_in_constant_memory},
                       {.name = "tiled",
                        .kernel = "convolution_1d_tiled",
                        .idea = "tiling: the tile with its halo",
                        .launch = tile_and_halo,
                        .arguments = without_filter,
                        .symbols = filter_in_constant_memory},
                       {.name = "window",
                        .kernel = "convolution_1d_window",
                        .idea = "register tiling: twelve outputs per thread, a window of inputs",
                        .launch = twelve_outputs_per_thread,
                        .block = only_blocks_of(128),
                        .source = "convolution_1d_window.cu",
                        .arguments = without_filter,
                        .symbols = filter_in_constant_memory}},
          .limits = {{.label = "2^25, 15 taps",
                      .size = std::size_t{1} << 25,
                      .variant = "window",
                      .yardstick = "naive",
                      .min_fraction_of_ceiling = 0.95}},
          .solution = "tiled",
          .demands = {{"", "the block copies what it needs to shared memory, once", no_shared_accesses,
                       /*is_note=*/true}}};
}

}  // namespace gpulab::lessons::convolution_1d
