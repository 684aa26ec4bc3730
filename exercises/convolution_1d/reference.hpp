#pragma once

#include <cstddef>
#include <span>

namespace gpulab::lessons::convolution_1d {

// output[i] = the sum over j of filter[j] * input[i + offset - j], where input is zero outside, for every i
// of the output: on one thread, summed in double.
void convolve(std::span<const float> input, std::span<const float> filter, std::size_t offset,
              std::span<float> output);

// The same on all threads, in float32, and written past the caches.
void convolve_openmp(std::span<const float> input, std::span<const float> filter, std::size_t offset,
                     std::span<float> output);

}  // namespace gpulab::lessons::convolution_1d
