#pragma once

#include "lesson/launch.hpp"

// How the kernels of the lesson are launched.

namespace gpulab::lessons::convolution {

// A pixel per thread; a tile of the block's pixels and the halo around them.
ChosenLaunch pixels_and_halo(const LaunchRequest& request);

// Eight pixels per thread, one below the other; the filter, its columns filled up to whole eights, the tile
// and its halo.
LaunchConfig columns_and_halo(const LaunchRequest& request);

// A pass over the rows and a pass over the columns, where the filter is a column times a row; otherwise,
// naive.
void in_two_passes(Execution& run);

// 8 x 4 pixels per thread, blocks of 128 threads.
LaunchConfig tiles_of_128_x_32(const LaunchRequest& request);

// The filter as matrices, for parts of 16 x 16 elements; then 64 x 64 pixels per block.
void on_tensor_cores(Execution& run);
constexpr std::size_t words_of_part = 16 * 32 * 8;
std::size_t most_parts(std::size_t filter_width, std::size_t filter_height);

// Both passes in one launch, where the filter is a column times a row; otherwise, a window of registers.
void in_one_pass(Execution& run);

}  // namespace gpulab::lessons::convolution
