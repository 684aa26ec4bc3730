#include "radio_astronomy/measurement.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace gpulab::lessons::radio_astronomy {
namespace {

// Source while its pixels are counted: in place of the centre it has the sums of x * value and y * value.
constexpr Source nothing_yet{.peak = -std::numeric_limits<float>::infinity()};

void add_pixel(Source& source, std::size_t pixel, std::size_t width, float value) {
  const std::size_t x = pixel % width, y = pixel / width;
  source.x += static_cast<double>(x) * value;
  source.y += static_cast<double>(y) * value;
  source.flux += value;
  source.peak = std::max(source.peak, value);
  ++source.pixels;
}

void add_source(Source& source, const Source& part) {
  source.x += part.x;
  source.y += part.y;
  source.flux += part.flux;
  source.peak = std::max(source.peak, part.peak);
  source.pixels += part.pixels;
}

void divide_by_flux(std::vector<Source>& sources) {
  for (Source& source : sources) {
    source.x /= source.flux;
    source.y /= source.flux;
  }
}

}  // namespace

std::vector<Source> measure(std::span<const float> image, std::span<const std::int32_t> labels,
                            std::size_t width, int count) {
  std::vector<Source> sources(static_cast<std::size_t>(count), nothing_yet);
  for (std::size_t i = 0; i < image.size(); ++i)
    if (labels[i] > 0) add_pixel(sources[static_cast<std::size_t>(labels[i]) - 1], i, width, image[i]);
  divide_by_flux(sources);
  return sources;
}

std::vector<Source> measure_openmp(std::span<const float> image, std::span<const std::int32_t> labels,
                                   std::size_t width, int count) {
  std::vector<Source> sources(static_cast<std::size_t>(count), nothing_yet);
#pragma omp parallel
  {
    std::unordered_map<std::int32_t, Source> own_sources;  // a thread meets few of the labels
#pragma omp for nowait
    for (std::size_t i = 0; i < image.size(); ++i)
      if (labels[i] > 0)
        add_pixel(own_sources.try_emplace(labels[i], nothing_yet).first->second, i, width, image[i]);
#pragma omp critical
    for (const auto& [label, part] : own_sources)
      add_source(sources[static_cast<std::size_t>(label) - 1], part);
  }
  divide_by_flux(sources);
  return sources;
}

}  // namespace gpulab::lessons::radio_astronomy
