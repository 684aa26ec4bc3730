#include "convolution/launches.hpp"

#include <algorithm>

#include "convolution/arrays.hpp"

namespace gpulab::lessons::convolution {
namespace {

constexpr unsigned pixels_when_coarsened = 8;  // per thread

// Returns a launch of one thread per `pixels_per_thread` pixels of a column, with shared memory for the
// pixels of the block and a halo of half a filter on every side.
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

ChosenLaunch pixels_and_halo(const LaunchRequest& request) {
  return {with_tile(request, 1, request.length(row), request.length(column)), Ownership::one_item};
}

LaunchConfig columns_and_halo(const LaunchRequest& request) {
  const std::size_t width = request.length(row);
  const std::size_t padded_height =
      std::size_t{pixels_when_coarsened} * ceil_div(request.length(column), pixels_when_coarsened);
  LaunchConfig config = with_tile(request, pixels_when_coarsened, width, padded_height);
  config.dynamic_shared_bytes += width * padded_height * sizeof(float);
  return config;
}

void in_two_passes(Execution& run) {
  const LaunchRequest& request = run.request();
  if (!request[is_separable])
    return run.launch("convolution_naive", one_thread_per_pixel(request), with_filter);
  run.launch("convolution_rows", with_tile(request, 1, request.length(row), 1), over_rows);
  run.launch("convolution_columns", with_tile(request, pixels_when_coarsened, 1, request.length(column)),
             over_columns);
}

LaunchConfig tiles_of_128_x_32(const LaunchRequest& request) {
  return {.grid = {ceil_div(request.work.x, 128), ceil_div(request.work.y, 32)}, .block = {128}};
}

// Returns the most parts of 16 x 16 elements, with up to three columns of padding before the filter.
std::size_t max_parts(std::size_t filter_width, std::size_t filter_height) {
  return std::size_t{ceil_div(filter_width + 3, 16)} * ceil_div(filter_height, 16);
}

void on_tensor_cores(Execution& run) {
  const LaunchRequest& request = run.request();
  const std::size_t filter_columns = request.length(row), padding = (4 - filter_columns / 2 % 4) % 4;
  run.launch(
      "convolution_matrices",
      LaunchConfig{.grid = {ceil_div(filter_columns + padding, 16), ceil_div(request.length(column), 16)},
                   .block = {512}},
      {filter, matrices, inverse, filter_width, filter_height});
  run.launch(
      "convolution_tensor_cores",
      LaunchConfig{.grid = {ceil_div(request.work.x, 64), ceil_div(request.work.y, 64)}, .block = {128}},
      from_matrices);
}

void in_one_pass(Execution& run) {
  const LaunchRequest& request = run.request();
  if (!request[is_separable])
    return run.launch("convolution_window", tiles_of_128_x_32(request), with_filter);
  const std::size_t row_parts = ceil_div(request.length(row), 16),
                    bands = 1 + ceil_div(request.length(column), 16);
  const unsigned strips = ceil_div(request.work.x, std::min<std::size_t>(128, 160 - 16 * row_parts));
  const unsigned resident = run.resident_blocks("convolution_fused", over_both, 128);
  // As many blocks as the device holds, or up to four times as many if each still has 192 rows: blocks that
  // end early then make room for others.
  const unsigned resident_segments = resident / strips, segments_of_192_rows = request.work.y / 192;
  const unsigned segments =
      std::clamp(std::max(resident_segments, std::min(4 * resident_segments, segments_of_192_rows)), 1u,
                 ceil_div(request.work.y, 16));
  run.launch("convolution_fused",
             LaunchConfig{.grid = {strips, segments},
                          .block = {128},
                          .dynamic_shared_bytes = (128 + 16 * 164 + 16 * 132 * bands) * sizeof(float)},
             over_both);
}

}  // namespace gpulab::lessons::convolution
