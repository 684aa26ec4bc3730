#include "core/lesson.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "convolution/asked.hpp"
#include "convolution/dirac_grid.hpp"
#include "convolution/launches.hpp"
#include "core/number_text.hpp"
#include "core/random.hpp"
#include "image/grey_scale.hpp"
#include "image/write_png.hpp"

namespace gpulab::lessons {
namespace {

using convolution::Asked;
using convolution::Filter;

float magnitude(float value) {
  return std::abs(value);
}

void fill(const Asked& asked, Arrays& inputs, std::uint64_t seed) {
  const auto image = inputs.get<float>("image");
  if (!asked.pixels.empty()) {
    std::ranges::copy(asked.pixels, image.begin());
  } else if (asked.image == "diracs") {
    convolution::fill_dirac_grid(image, asked.frame.width);
  } else {
#pragma omp parallel for
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = 2 * random_float(seed, i) - 1;
  }
  std::ranges::copy(asked.filter.values, inputs.get<float>("filter").begin());
  const auto row = inputs.get<float>("row"), column = inputs.get<float>("column");
  std::ranges::fill(row, 0.0f);
  std::ranges::fill(column, 0.0f);
  if (!asked.separated) return;
  std::ranges::copy(asked.separated->row, row.begin());
  std::ranges::copy(asked.separated->column, column.begin());
}

// As many products as the filter has elements: the sum of them, in any order, is off by at most so many times
// 2^-24 of the sum of their magnitudes, and comes so near to that where all have one sign. To that, what the
// product of row and column may be off.
Tolerance tolerance_of(const Asked& asked) {
  const std::vector<float>& filter = asked.filter.values;
  const auto add_magnitude = [](double sum, float value) { return sum + magnitude(value); };
  const double weight = std::accumulate(filter.begin(), filter.end(), 0.0, add_magnitude);
  const double largest = magnitude(*std::ranges::max_element(filter, {}, magnitude));
  const auto elements = static_cast<double>(filter.size());
  const double brightest =
      asked.pixels.empty() ? 1 : magnitude(*std::ranges::max_element(asked.pixels, {}, magnitude));
  return {.absolute = brightest * elements * (0x1p-24 * weight + 0x1p-22 * largest)};
}

Findings on_the_filter(const Filter& filter, bool is_separable) {
  const std::string direct = grouped(filter.values.size()), passes = grouped(filter.width + filter.height);
  if (is_separable)
    return {.remarks = {"the filter is a column times a row: two passes take " + passes +
                        " multiplications per pixel instead of " + direct}};
  return {.remarks = {"the filter is not a column times a row, so 'separable' takes " + direct +
                      " multiplications per pixel, as 'naive' does"}};
}

std::string png_of_output(const Asked& asked, const Arrays& outputs) {
  const auto output = outputs.get<float>("output");
  const GreyScale darkest_to_brightest = percentile_scale(output, 0, 100);
  return png_bytes(grey_picture(output, asked.frame.width, asked.frame.height, darkest_to_brightest));
}

std::string by(std::size_t width, std::size_t height) {
  return grouped(width) + " x " + grouped(height);
}

// What a filter gives that is not turned round.
void correlate(const Asked& asked, const Arrays& inputs, Arrays& outputs) {
  Filter turned = asked.filter;
  std::ranges::reverse(turned.values);
  convolve_openmp(asked.frame, inputs.get<float>("image"), turned, asked.border,
                  outputs.get<float>("output"));
}

Problem convolved_image(const Settings& settings) {
  const auto asked = convolution::read_asked(settings);
  const auto& [width, height] = asked->frame;
  const Filter& filter = asked->filter;
  const std::size_t pixels = width * height;
  return {
      .description = by(width, height) + " float32, " + asked->image + ", filter " +
                     by(filter.width, filter.height) + ", border " + settings.word("border"),
      .parameters = convolution::with_filter(settings),
      .others = other_arrays(input<float>("row", filter.width), input<float>("column", filter.height),
                             scratch<float>("rows_done", pixels)),
      .work = Extent{static_cast<unsigned>(width), static_cast<unsigned>(height)},
      .fill = [asked](Arrays& inputs, std::uint64_t seed) { fill(*asked, inputs, seed); },
      .reference =
          [asked](const Arrays& inputs, Arrays& outputs) {
            convolve(asked->frame, inputs.get<float>("image"), asked->filter, asked->border,
                     outputs.get<float>("output"));
          },
      .reference_openmp =
          [asked](const Arrays& inputs, Arrays& outputs) {
            convolve_openmp(asked->frame, inputs.get<float>("image"), asked->filter, asked->border,
                            outputs.get<float>("output"));
          },
      .operations_openmp =
          2 * static_cast<double>(pixels) *
          static_cast<double>(asked->separated ? filter.width + filter.height : filter.values.size()),
      .traffic = {.bytes_read = static_cast<double>(pixels + filter.values.size()) * sizeof(float),
                  .bytes_written = static_cast<double>(pixels) * sizeof(float),
                  .operations = 2 * static_cast<double>(pixels) * static_cast<double>(filter.values.size()),
                  .limited_by_operations = true},
      .tolerance = tolerance_of(*asked),
      .element = "pixel",
      .typically_wrong = {{"filter-not-turned",
                           "every pixel is what a correlation gives: consistent with a filter that is not "
                           "turned round",
                           [asked](const Arrays& inputs, Arrays& outputs) {
                             correlate(*asked, inputs, outputs);
                           }}},
      .findings = [asked](
                      const Arrays&,
                      const Arrays&) { return on_the_filter(asked->filter, asked->separated.has_value()); },
      .artifacts = {{.option = "save", .content = [asked](const Arrays&, const Arrays& outputs) {
                       return png_of_output(*asked, outputs);
                     }}}};
}

const std::vector<Symbol> filter_in_constant_memory{{.name = "constant_filter", .array = "filter"}};

std::map<std::string, OptionValue> checked_frame(std::uint64_t width, std::uint64_t height) {
  return {{"image", "random"}, {"filter-width", std::uint64_t{3}}, {"width", width}, {"height", height}};
}

constexpr BlockSizes warps{.usual = 256, .multiple_of = 32};

}  // namespace

Lesson convolution() {
  return {
      .name = "convolution",
      .title = "Convolve an image: from one thread per pixel to registers",
      .place = {.episode = 2, .step = 1},
      .page = "Using your GPU with CuPy",
      .text = R"(Each pixel of the result is a weighted sum of the pixels around it, with the
filter turned round. The course calls convolve2d on a grid of single bright
pixels (diracs), each of which becomes a copy of the filter; these are the
kernels behind such a call. Here the result is as large as the image ('same').
All threads use one element of the filter at a time: constant memory. The
neighbourhoods of neighbours overlap: a tile in shared memory, with a halo of
half a filter around it, is fetched once for all pixels of a block. A thread
that computes eight pixels of a column has seven of eight operands in its
registers already. And a filter that is a column times a row, as a Gaussian
is, needs only a pass along the rows and a pass along the columns: 30
multiplications per pixel instead of 225. The course's filter is not
normalised: its elements add up to 72.19, not to 1.)",
      .kernels = "convolution.cu",
      .options = convolution::options(),
      .problem = convolved_image,
      .variants = {{.name = "naive",
                    .kernel = "convolution_naive",
                    .idea = "one thread per pixel, everything from global memory",
                    .launch = one_thread_per_pixel,
                    .block = warps},
                   {.name = "constant",
                    .kernel = "convolution_constant",
                    .idea = "the filter in constant memory",
                    .launch = one_thread_per_pixel,
                    .block = warps,
                    .parameters = convolution::without_filter,
                    .symbols = filter_in_constant_memory},
                   {.name = "tiled",
                    .kernel = "convolution_tiled",
                    .idea = "a tile of the image with its halo in shared memory",
                    .launch = convolution::pixels_and_halo,
                    .block = warps,
                    .parameters = convolution::without_filter,
                    .symbols = filter_in_constant_memory},
                   {.name = "register-blocked",
                    .kernel = "convolution_register_blocked",
                    .idea = "eight pixels per thread, their neighbourhoods in registers",
                    .launch = convolution::columns_and_halo,
                    .block = {.usual = 256, .multiple_of = 32, .most = 256}},
                   {.name = "separable",
                    .kernel = "convolution_rows",
                    .idea = "a pass along the rows and a pass along the columns",
                    .parameters = convolution::pass_over_rows,
                    .steps = convolution::in_two_passes},
                   {.name = "register-window",
                    .kernel = "convolution_window",
                    .idea = "8 x 4 pixels per thread, the filter four columns at a time",
                    .launch = convolution::tiles_of_128_x_32,
                    .block = only_blocks_of(128),
                    .source = "convolution_registers.cu"},
                   {.name = "fused",
                    .kernel = "convolution_fused",
                    .idea = "both passes in one launch, a strip of columns per block",
                    .block = only_blocks_of(128),
                    .source = "convolution_registers.cu",
                    .parameters = convolution::pass_over_both,
                    .steps = convolution::in_one_pass}},
      .yardsticks = {{.name = "cudnn",
                      .idea = "cudnnConvolutionForward, the fastest algorithm that it finds, no TF32",
                      .library = "cudnn-convolution"}},
      .claims = {at_least(1.5, "tiled", "naive"), at_least(2.0, "register-blocked", "tiled")},
      .limits = {{.label = "8 192 x 8 192, 15 x 15",
                  .options = {{"width", 8192u}, {"height", 8192u}, {"image", "random"}},
                  .rung = "register-window",
                  .yardstick = "cudnn",
                  .targets = {{Target::Kind::times_yardstick, 8}, {Target::Kind::operations_per_s, 40e12}}},
                 {.label = "8 192 x 8 192, 15 x 15, rank one",
                  .options = {{"width", 8192u}, {"height", 8192u}, {"image", "random"}},
                  .rung = "fused",
                  .yardstick = "cudnn",
                  .targets = {{Target::Kind::part_of_ceiling, 0.75}},
                  .limited_by = LimitedBy::memory}},
      .solution = "tiled",
      // A filter so small that most pixels are far from the edges of their tile.
      .checked_at = {checked_frame(64, 64), checked_frame(40, 20), checked_frame(100, 100),
                     checked_frame(33, 9), checked_frame(1, 1)}};
}

}  // namespace gpulab::lessons
