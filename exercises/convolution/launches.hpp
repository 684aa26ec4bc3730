#pragma once

#include "lesson/launch.hpp"

// Launches of the lesson's kernels.

namespace gpulab::lessons::convolution {

// Returns a launch of one thread per pixel, with shared memory for a tile with its halo.
ChosenLaunch pixels_and_halo(const LaunchRequest& request);

// Returns a launch of one thread per eight pixels of a column, with shared memory for the tile with its halo
// and for the filter, its columns padded to a multiple of eight.
LaunchConfig columns_and_halo(const LaunchRequest& request);

// Runs a pass over the rows and a pass over the columns if the filter is separable, otherwise naive.
void in_two_passes(Execution& run);

// Returns a launch of one thread per 4 x 8 pixels, in blocks of 128 threads.
LaunchConfig tiles_of_128_x_32(const LaunchRequest& request);

// Lays out the filter as matrices, for parts of 16 x 16 elements, then computes 64 x 64 pixels per block.
void on_tensor_cores(Execution& run);
constexpr std::size_t words_of_part = 16 * 32 * 8;  // in the matrices of a part
std::size_t max_parts(std::size_t filter_width, std::size_t filter_height);

// Runs both passes in one launch if the filter is separable, otherwise the register-window kernel.
void in_one_pass(Execution& run);

}  // namespace gpulab::lessons::convolution
