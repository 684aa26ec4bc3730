#include "lesson/lesson.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "convolution/arrays.hpp"
#include "convolution/launches.hpp"
#include "convolution/settings.hpp"
#include "image/image.hpp"
#include "lesson/demands.hpp"

namespace gpulab::lessons::convolution {

float magnitude(float value) {
  return std::abs(value);
}

void fill(const ConvolutionSettings& asked, Inputs& inputs, std::uint64_t seed) {
  const auto pixels = inputs[image];
  if (!asked.pixels.empty())
    std::ranges::copy(asked.pixels, pixels.begin());
  else if (asked.image == "diracs")
    fill_dirac_grid(pixels, asked.frame.width);
  else
    uniform_around_zero(image)(inputs, seed);
  std::ranges::copy(asked.filter.values, inputs[filter].begin());
  std::ranges::fill(inputs[row], 0.0f);
  std::ranges::fill(inputs[column], 0.0f);
  if (!asked.separated) return;
  std::ranges::copy(asked.separated->row, inputs[row].begin());
  std::ranges::copy(asked.separated->column, inputs[column].begin());
}

// Allows the largest error of a sum of n products in any order, n * 2^-24 of the sum of their magnitudes: it
// is nearly reached if all have one sign. Adds the error of row times column, for a separable filter.
Tolerance tolerance_of(const ConvolutionSettings& asked) {
  const std::vector<float>& values = asked.filter.values;
  const auto add_magnitude = [](double sum, float value) { return sum + magnitude(value); };
  const double weight = std::accumulate(values.begin(), values.end(), 0.0, add_magnitude);
  const double largest = magnitude(*std::ranges::max_element(values, {}, magnitude));
  const auto elements = static_cast<double>(values.size());
  const double brightest =
      asked.pixels.empty() ? 1 : magnitude(*std::ranges::max_element(asked.pixels, {}, magnitude));
  return {.absolute = brightest * elements * (0x1p-24 * weight + 0x1p-22 * largest)};
}

Findings remark_on_filter(const Filter& used, bool is_separable) {
  const std::string direct = grouped(used.values.size()), passes = grouped(used.width + used.height);
  if (is_separable)
    return {.remarks = {"the filter is a column times a row: two passes take " + passes +
                        " multiplications per pixel instead of " + direct}};
  return {.remarks = {"the filter is not a column times a row, so 'separable' takes " + direct +
                      " multiplications per pixel, as 'naive' does"}};
}

std::string png_of_output(const ConvolutionSettings& asked, const Outputs& outputs) {
  const auto pixels = outputs[output];
  const image::GreyScale darkest_to_brightest = image::percentile_scale(pixels, 0, 100);
  return image::png_bytes(
      image::grey_picture(pixels, asked.frame.width, asked.frame.height, darkest_to_brightest));
}

// Returns "3 x 5".
std::string size_text(std::size_t width, std::size_t height) {
  return grouped(width) + " x " + grouped(height);
}

// Function that returns the index of the filter element that replaces the one in this column and row.
using ElementFor = std::size_t (*)(const Filter& filter, std::size_t column, std::size_t row);

// Returns a convolution with the filter's elements in other places; an element from beyond its end counts as
// 0.
Reference with_elements(const std::shared_ptr<const ConvolutionSettings>& asked, ElementFor element_for) {
  return [=](const Inputs& inputs, Outputs& outputs) {
    Filter moved = asked->filter;
    for (std::size_t i = 0; i < moved.values.size(); ++i) {
      const std::size_t from = element_for(asked->filter, i % moved.width, i / moved.width);
      moved.values[i] = from < moved.values.size() ? asked->filter.values[from] : 0;
    }
    convolve_openmp(asked->frame, inputs[image], moved, asked->border, outputs[output]);
  };
}

std::ptrdiff_t wrapped_round(std::ptrdiff_t index, std::ptrdiff_t size) {
  return (index % size + size) % size;
}

std::ptrdiff_t mirrored_at_pixel(std::ptrdiff_t index, std::ptrdiff_t size) {
  const std::ptrdiff_t period = std::max<std::ptrdiff_t>(1, 2 * (size - 1));
  return std::min(wrapped_round(index, period), period - wrapped_round(index, period)) % size;
}

// Returns a convolution with another rule for what lies beyond the image.
Reference with_source(const std::shared_ptr<const ConvolutionSettings>& asked,
                      std::ptrdiff_t (*source)(std::ptrdiff_t index, std::ptrdiff_t size)) {
  return [=](const Inputs& inputs, Outputs& outputs) {
    const auto width = static_cast<std::ptrdiff_t>(asked->frame.width),
               height = static_cast<std::ptrdiff_t>(asked->frame.height);
    const auto columns = static_cast<std::ptrdiff_t>(asked->filter.width),
               rows = static_cast<std::ptrdiff_t>(asked->filter.height);
    const auto pixels = inputs[image];
    const auto results = outputs[output];
    for (std::ptrdiff_t pixel = 0; pixel < width * height; ++pixel) {
      double sum = 0;
      for (std::ptrdiff_t i = 0; i < rows * columns; ++i) {
        const std::ptrdiff_t y = source(pixel / width + rows / 2 - i / columns, height),
                             x = source(pixel % width + columns / 2 - i % columns, width);
        sum += double{asked->filter.values[static_cast<std::size_t>(i)]} *
               pixels[static_cast<std::size_t>(y * width + x)];
      }
      results[static_cast<std::size_t>(pixel)] = static_cast<float>(sum);
    }
  };
}

std::vector<TypicalResult> typical_results(const std::shared_ptr<const ConvolutionSettings>& asked) {
  const auto with = [&](ElementFor element_for) { return with_elements(asked, element_for); };
  return {
      {"filter-not-flipped",
       "{} pixel is what a correlation gives: consistent with a filter that is not flipped",
       with([](const Filter& f, std::size_t column, std::size_t row) {
         return (f.height - 1 - row) * f.width + f.width - 1 - column;
       })},
      {"filter-not-flipped", "{} pixel is what comes out if the filter is flipped in y, but not in x",
       with([](const Filter& f, std::size_t column, std::size_t row) {
         return row * f.width + f.width - 1 - column;
       })},
      {"filter-not-flipped", "{} pixel is what comes out if the filter is flipped in x, but not in y",
       with([](const Filter& f, std::size_t column, std::size_t row) {
         return (f.height - 1 - row) * f.width + column;
       })},
      {"input-index", "{} pixel is what comes out if rows and columns of the filter are exchanged",
       with([](const Filter& f, std::size_t column, std::size_t row) { return column * f.height + row; })},
      {"input-index",
       "{} pixel is what comes out if the filter is read as if its rows were as long as its columns",
       with([](const Filter& f, std::size_t column, std::size_t row) { return row * f.height + column; })},
      {"border", "{} pixel is what comes out if the image wraps around at its edges",
       with_source(asked, wrapped_round)},
      {"border", "{} pixel is what comes out if the image is mirrored without repeating the edge pixels",
       with_source(asked, mirrored_at_pixel)}};
}

// Convolves with filter element i counted `times(i)` times.
void convolve_times(const ConvolutionSettings& asked, const Inputs& inputs,
                    const std::function<double(std::size_t)>& times, Outputs& outputs) {
  Filter scaled = asked.filter;
  for (std::size_t i = 0; i < scaled.values.size(); ++i) scaled.values[i] *= static_cast<float>(times(i));
  convolve(asked.frame, inputs[image], scaled, asked.border, outputs[output]);
}

References references(const std::shared_ptr<const ConvolutionSettings>& asked) {
  const Frame& frame = asked->frame;
  const Filter& used = asked->filter;
  const auto with = [asked](auto convolve) -> Reference {
    return [=](const Inputs& in, Outputs& out) {
      convolve(asked->frame, in[image], asked->filter, asked->border, out[output]);
    };
  };
  const std::size_t products = asked->separated ? used.width + used.height : used.values.size();
  return {.plain = with(convolve),
          .openmp = with(convolve_openmp),
          .operations_openmp =
              2 * static_cast<double>(frame.width * frame.height) * static_cast<double>(products)};
}

Problem problem(const Settings& settings) {
  const auto asked = read_settings(settings);
  const auto [columns, rows] = asked->frame;
  const Filter& used = asked->filter;
  return {.description = size_text(columns, rows) + " float32, " + asked->image + ", filter " +
                         size_text(used.width, used.height) + ", border " + settings.word("border"),
          .arrays = {image(columns, rows), filter(used.width, used.height), output(columns, rows),
                     row(used.width), column(used.height), rows_done(columns, rows),
                     matrices(max_parts(used.width, used.height) * words_of_part), inverse(1)},
          .scalars = {width(columns), height(rows), filter_width(used.width), filter_height(used.height),
                      border(asked->border), is_separable(asked->separated.has_value())},
          .fill = [asked](Inputs& inputs, std::uint64_t seed) { fill(*asked, inputs, seed); },
          .edges = asked->pixels.empty() ? with_edges({image}, edges_up_to_one) : Fill(),
          .references = references(asked),
          .traffic = {.operations =
                          2 * static_cast<double>(columns * rows) * static_cast<double>(used.values.size()),
                      .limited_by_operations = true},
          .tolerance = tolerance_of(*asked),
          .element = "pixel",
          .typically_wrong = typical_results(asked),
          .terms = {.name = "filter element",
                    .count = used.values.size(),
                    .compute = [asked](const Inputs& in, const auto& times,
                                       Outputs& out) { convolve_times(*asked, in, times, out); },
                    .row = used.width},
          .findings =
              [asked](const Inputs&, const Outputs&) {
                return remark_on_filter(asked->filter, asked->separated.has_value());
              },
          .artifacts = {{.option = "save",
                         .content = [asked](const Inputs&,
                                            const Outputs& out) { return png_of_output(*asked, out); }}},
          .copied = {image, filter, output}};
}

const std::vector<Symbol> filter_in_constant_memory{{"constant_filter", filter}};

std::map<std::string, OptionValue> checked_frame(std::uint64_t width, std::uint64_t height,
                                                 std::uint64_t filter_width = 3) {
  return {{"image", "random"}, {"filter-width", filter_width}, {"width", width}, {"height", height}};
}

constexpr BlockSizes warps{.threads = 256, .multiple_of = 32};

// Returns whether the filter is at least as large as those measured.
bool has_large_filter(const LaunchContext& at) {
  return at[filter_width] >= 15 && at[filter_height] >= 15;
}

Claim with_large_filter(std::size_t pixels, Claim claim) {
  return only_where(has_large_filter, from_size(pixels, std::move(claim)));
}

Lesson lesson() {
  return {
      .name = "convolution",
      .title = "Convolve an image: from one thread per pixel to registers",
      .place = {.episode = 2, .step = 1},
      .page = "Using your GPU with CuPy",
      .options = options(),
      .sides = {"width", "height"},
      .problem = problem,
      .arguments = with_filter,
      .variants = {{.name = "naive",
                    .kernel = "convolution_naive",
                    .idea = "one thread per pixel, everything from global memory",
                    .launch = one_thread_per_pixel,
                    .block = warps},
                   {.name = "constant",
                    .kernel = "convolution_constant",
                    .idea = "the filter in constant memory: a broadcast",
                    .launch = one_thread_per_pixel,
                    .block = warps,
                    .arguments = without_filter,
                    .symbols = filter_in_constant_memory},
                   {.name = "tiled",
                    .kernel = "convolution_tiled",
                    .idea = "tiling: a tile of the image with its halo in shared memory",
                    .launch = pixels_and_halo,
                    .block = warps,
                    .arguments = without_filter,
                    .symbols = filter_in_constant_memory},
                   {.name = "register-blocked",
                    .kernel = "convolution_register_blocked",
                    .idea = "register tiling: eight pixels of a column per thread",
                    .launch = columns_and_halo,
                    .block = {.threads = 256, .multiple_of = 32, .max = 256}},
                   {.name = "separable",
                    .kernel = "convolution_rows",
                    .idea = "separable: a pass along the rows, one along the columns",
                    .arguments = over_rows,
                    .steps = in_two_passes},
                   {.name = "register-window",
                    .kernel = "convolution_window",
                    .idea = "register tiling: 4 x 8 pixels, four filter columns at once",
                    .launch = tiles_of_128_x_32,
                    .block = only_blocks_of(128),
                    .source = "convolution_registers.cu"},
                   {.name = "fused",
                    .kernel = "convolution_fused",
                    .idea = "kernel fusion: both passes in one launch",
                    .block = only_blocks_of(128),
                    .source = "convolution_registers.cu",
                    .arguments = over_both,
                    .steps = in_one_pass},
                   {.name = "tensor-cores",
                    .kernel = "convolution_tensor_cores",
                    .idea = "matrix products, any filter: three in float16 replace one in float32; cuda only",
                    .block = only_blocks_of(128),
                    .source = "convolution_tensor_cores.cu",
                    .arguments = from_matrices,
                    .steps = on_tensor_cores,
                    .needs = GpuNeed{.major = 8}}},
      .yardsticks = {{.name = "cudnn",
                      .idea = "the fastest engine that cuDNN's heuristics propose, no TF32",
                      .library = "cudnn-convolution"},
                     {.name = "cudnn-best",
                      .idea = "the fastest of all its engines that compute in float32",
                      .library = "cudnn-best-convolution"}},
      // Held on an H200: "tiled" from 64 x 64 on; "register-blocked" from 1 024 x 1 024 on, and not at
      // 512 x 512.
      .claims = {with_large_filter(std::size_t{1} << 16, at_least(1.5, "tiled", "naive")),
                 with_large_filter(std::size_t{1} << 20, at_least(2.0, "register-blocked", "tiled"))},
      .limits = {{.label = "8 192 x 8 192, 15 x 15",
                  .options = {{"width", 8192u}, {"height", 8192u}, {"image", "random"}},
                  .variant = "register-window",
                  .yardstick = "cudnn-best",
                  .min_fraction_of_ceiling = 0.78},
                 {.label = "8 192 x 8 192, 15 x 15, tensor cores",
                  .options = {{"width", 8192u}, {"height", 8192u}, {"image", "random"}},
                  .variant = "tensor-cores",
                  .yardstick = "cudnn-best",
                  .min_fraction_of_ceiling = 1.1},
                 {.label = "8 192 x 8 192, 15 x 15, rank one",
                  .options = {{"width", 8192u}, {"height", 8192u}, {"image", "random"}},
                  .variant = "fused",
                  .yardstick = "cudnn-best",
                  .min_fraction_of_ceiling = 0.78,
                  .limited_by = LimitedBy::memory}},
      .solution = "tiled",
      // With a filter of 3 x 3 most pixels are far from the edges of their tile. A filter of 5 x 5
      // reaches the second pixel beyond the image, where mirrored and clamped borders begin to differ.
      .checked_at = {checked_frame(64, 64, 5), checked_frame(40, 20), checked_frame(100, 100),
                     checked_frame(33, 9), checked_frame(1, 1)},
      .demands = {{"", "the block copies what it needs to shared memory, once", no_shared_accesses,
                   /*is_note=*/true}}};
}

}  // namespace gpulab::lessons::convolution
