#pragma once

#include <cstdint>
#include <span>

namespace gpulab::lessons::radio_astronomy {

// Threshold above zero for pixels of a source, in sigma.
constexpr double source_sigma = 5;

// Sets mask[i] to 1 if image[i] > threshold, else to 0. A NaN is not above anything.
void segment(std::span<const float> image, double threshold, std::span<std::uint8_t> mask);

// Does the same on all CPU threads.
void segment_openmp(std::span<const float> image, double threshold, std::span<std::uint8_t> mask);

}  // namespace gpulab::lessons::radio_astronomy
