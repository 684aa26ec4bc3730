#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "radio_astronomy/clipping.hpp"
#include "radio_astronomy/measurement.hpp"

namespace gpulab::lessons::radio_astronomy {

// Threshold above zero for pixels of a source, in sigma.
constexpr double source_sigma = 5;

// Functions of the four steps from an image to its sources.
struct Steps {
  Noise (*find_noise)(std::span<const float> image);
  void (*segment)(std::span<const float> image, double threshold, std::span<std::uint8_t> mask);
  int (*label)(std::span<const std::uint8_t> mask, std::size_t width, std::span<std::int32_t> labels);
  std::vector<Source> (*measure)(std::span<const float> image, std::span<const std::int32_t> labels,
                                 std::size_t width, int count);
};

extern const Steps on_one_thread;
extern const Steps on_all_threads;

struct Catalogue {
  Noise noise;
  std::vector<Source> sources;
};

// Runs the steps one after another: connected pixels above the threshold are a source. The image has
// rows of `width` pixels; mask and labels are as long as the image.
Catalogue find_sources(const Steps& steps, std::span<const float> image, std::size_t width,
                       std::span<std::uint8_t> mask, std::span<std::int32_t> labels);

}  // namespace gpulab::lessons::radio_astronomy
