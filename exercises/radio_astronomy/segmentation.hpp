#pragma once

#include <cstdint>
#include <span>

namespace gpulab::lessons::radio_astronomy {

// How many sigma above zero a pixel must be to belong to a source.
constexpr double source_sigma = 5;

// mask[i] = 1 where image[i] > threshold, 0 elsewhere. A pixel that is not a number is not above anything.
void segment(std::span<const float> image, double threshold, std::span<std::uint8_t> mask);

// The same on all CPU threads.
void segment_openmp(std::span<const float> image, double threshold, std::span<std::uint8_t> mask);

}  // namespace gpulab::lessons::radio_astronomy
