#include "radio_astronomy/find_sources.hpp"

#include "radio_astronomy/labelling.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

// Sets mask[i] to 1 if image[i] > threshold, else to 0. A NaN is not above anything.
void segment(std::span<const float> image, double threshold, std::span<std::uint8_t> mask) {
  for (std::size_t i = 0; i < image.size(); ++i) mask[i] = image[i] > threshold;
}

void segment_openmp(std::span<const float> image, double threshold, std::span<std::uint8_t> mask) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < image.size(); ++i) mask[i] = image[i] > threshold;
}

}  // namespace

const Steps on_one_thread{clip, segment, label, measure};
const Steps on_all_threads{clip_openmp, segment_openmp, label_openmp, measure_openmp};

Catalogue find_sources(const Steps& steps, std::span<const float> image, std::size_t width,
                       std::span<std::uint8_t> mask, std::span<std::int32_t> labels) {
  const Noise noise = steps.find_noise(image);
  steps.segment(image, source_sigma * noise.sigma, mask);
  const int count = steps.label(mask, width, labels);
  return {noise, steps.measure(image, labels, width, count)};
}

}  // namespace gpulab::lessons::radio_astronomy
