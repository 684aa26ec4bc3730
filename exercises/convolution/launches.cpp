#include "convolution/launches.hpp"

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
  config.grid.y = covering(request.work.y, rows);
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
  const std::size_t padded_height = std::size_t{many} * covering(asked->filter.height, many);
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

}  // namespace gpulab::convolution
