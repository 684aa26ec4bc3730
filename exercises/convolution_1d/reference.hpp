#pragma once

#include <cstddef>
#include <span>

namespace gpulab::lessons::convolution_1d {

// Computes output[i] = the sum over j of filter[j] * input[i + offset - j], where input is zero outside, for
// every i of the output: on one thread, summed in double.
void convolve(std::span<const float> input, std::span<const float> filter, std::size_t offset,
              std::span<float> output);

// Computes the same on all threads, in float32, with streaming stores.
void convolve_openmp(std::span<const float> input, std::span<const float> filter, std::size_t offset,
                     std::span<float> output);

}  // namespace gpulab::lessons::convolution_1d
