#include "convolution/launches.hpp"

#include <algorithm>

#include "convolution/asked.hpp"

namespace gpulab::convolution {
namespace {

constexpr unsigned many = 8;  // pixels of a thread, where it has several

std::size_t pixels_of(const Frame& frame) {
  return frame.width * frame.height;
}

auto image_of(const Asked& asked) {
  return input<float>("image", pixels_of(asked.frame));
}
auto output_of(const Asked& asked) {
  return output<float>("output", pixels_of(asked.frame));
}
auto rows_done(const Asked& asked) {
  return scratch<float>("rows_done", pixels_of(asked.frame));
}

// A thread for so many pixels, one below the other, with shared memory for the block's pixels and for half a
// filter on every side of them.
LaunchConfig with_tile(const LaunchRequest& request, unsigned pixels_per_thread, std::size_t filter_width,
                       std::size_t filter_height) {
  LaunchConfig config = one_thread_per_pixel(request).config;
  const unsigned rows = config.block.y * pixels_per_thread;
  config.grid.y = ceil_div(request.work.y, rows);
  config.dynamic_shared_bytes =
      (config.block.x + filter_width - 1) * (rows + filter_height - 1) * sizeof(float);
  return config;
}

}  // namespace

Parameters with_filter(const Settings& settings) {
  const auto asked = convolution::asked(settings);
  const auto& [width, height] = asked->frame;
  const Filter& filter = asked->filter;
  return kernel_parameters(
      image_of(*asked), input<float>("filter", filter.values.size()), output_of(*asked),
      scalar<int>("width", width), scalar<int>("height", height), scalar<int>("filter_width", filter.width),
      scalar<int>("filter_height", filter.height), scalar<int>("border", static_cast<int>(asked->border)));
}

Parameters without_filter(const Settings& settings) {
  const auto asked = convolution::asked(settings);
  const auto& [width, height] = asked->frame;
  return kernel_parameters(image_of(*asked), output_of(*asked), scalar<int>("width", width),
                           scalar<int>("height", height), scalar<int>("filter_width", asked->filter.width),
                           scalar<int>("filter_height", asked->filter.height),
                           scalar<int>("border", static_cast<int>(asked->border)));
}

Parameters pass_over_rows(const Settings& settings) {
  const auto asked = convolution::asked(settings);
  const auto& [width, height] = asked->frame;
  return kernel_parameters(image_of(*asked), input<float>("row", asked->filter.width), rows_done(*asked),
                           scalar<int>("width", width), scalar<int>("height", height),
                           scalar<int>("filter_width", asked->filter.width),
                           scalar<int>("border", static_cast<int>(asked->border)));
}

Parameters pass_over_columns(const Settings& settings) {
  const auto asked = convolution::asked(settings);
  const auto& [width, height] = asked->frame;
  return kernel_parameters(reads(rows_done(*asked)), input<float>("column", asked->filter.height),
                           output_of(*asked), scalar<int>("width", width), scalar<int>("height", height),
                           scalar<int>("filter_height", asked->filter.height),
                           scalar<int>("border", static_cast<int>(asked->border)));
}

ChosenLaunch pixels_and_halo(const LaunchRequest& request) {
  const auto asked = convolution::asked(request.settings);
  return {with_tile(request, 1, asked->filter.width, asked->filter.height), Ownership::one_item};
}

LaunchConfig columns_and_halo(const LaunchRequest& request) {
  const auto asked = convolution::asked(request.settings);
  const std::size_t width = asked->filter.width;
  const std::size_t padded_height = std::size_t{many} * ceil_div(asked->filter.height, many);
  LaunchConfig config = with_tile(request, many, width, padded_height);
  config.dynamic_shared_bytes += width * padded_height * sizeof(float);
  return config;
}

void in_two_passes(Execution& run) {
  const LaunchRequest& request = run.request();
  const Settings& settings = request.settings;
  const auto asked = convolution::asked(settings);
  if (!asked->separated)
    return run.launch("convolution_naive", one_thread_per_pixel(request), with_filter(settings));
  run.launch("convolution_rows", with_tile(request, 1, asked->filter.width, 1), pass_over_rows(settings));
  run.launch("convolution_columns", with_tile(request, many, 1, asked->filter.height),
             pass_over_columns(settings));
}

Parameters pass_over_both(const Settings& settings) {
  const auto asked = convolution::asked(settings);
  const auto& [width, height] = asked->frame;
  return kernel_parameters(image_of(*asked), input<float>("row", asked->filter.width),
                           input<float>("column", asked->filter.height), output_of(*asked),
                           scalar<int>("width", width), scalar<int>("height", height),
                           scalar<int>("filter_width", asked->filter.width),
                           scalar<int>("filter_height", asked->filter.height),
                           scalar<int>("border", static_cast<int>(asked->border)));
}

LaunchConfig tiles_of_128_x_32(const LaunchRequest& request) {
  return {.grid = {ceil_div(request.work.x, 128), ceil_div(request.work.y, 32)}, .block = {128}};
}

void in_one_pass(Execution& run) {
  const LaunchRequest& request = run.request();
  const Settings& settings = request.settings;
  const auto asked = convolution::asked(settings);
  if (!asked->separated)
    return run.launch("convolution_window", tiles_of_128_x_32(request), with_filter(settings));
  const std::size_t row_parts = ceil_div(asked->filter.width, 16),
                    bands = 1 + ceil_div(asked->filter.height, 16);
  const unsigned strips = ceil_div(request.work.x, std::min<std::size_t>(128, 160 - 16 * row_parts));
  const Parameters parameters = pass_over_both(settings);
  const unsigned resident = run.resident_blocks("convolution_fused", parameters, 128);
  // As many blocks as the device holds; four times as many where each still has 192 rows, so that blocks that
  // are done early make room for others.
  const unsigned filling = resident / strips, long_enough = request.work.y / 192;
  const unsigned segments =
      std::clamp(std::max(filling, std::min(4 * filling, long_enough)), 1u, ceil_div(request.work.y, 16));
  run.launch("convolution_fused",
             LaunchConfig{.grid = {strips, segments},
                          .block = {128},
                          .dynamic_shared_bytes = (128 + 16 * 164 + 16 * 132 * bands) * sizeof(float)},
             parameters);
}

}  // namespace gpulab::convolution
