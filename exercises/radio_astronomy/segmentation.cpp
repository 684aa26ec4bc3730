#include "radio_astronomy/segmentation.hpp"

#include <cstddef>

namespace gpulab::lessons::radio_astronomy {

void segment(std::span<const float> image, double threshold, std::span<std::uint8_t> mask) {
  for (std::size_t i = 0; i < image.size(); ++i) mask[i] = image[i] > threshold;
}

void segment_openmp(std::span<const float> image, double threshold, std::span<std::uint8_t> mask) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < image.size(); ++i) mask[i] = image[i] > threshold;
}

}  // namespace gpulab::lessons::radio_astronomy
