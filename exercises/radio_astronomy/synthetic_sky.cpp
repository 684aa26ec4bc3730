#include "radio_astronomy/synthetic_sky.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lesson/arrays.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

constexpr float beam_sigma = 4 / 2.3548f;  // pixels
constexpr float reach = 10;                // beyond it a source adds less than 1e-7 of its peak
constexpr std::size_t pixels_per_source = 10000;

// Returns a normal number by Box and Muller's transformation of two uniform ones; the first must not be 0.
float gaussian(std::uint64_t seed, std::size_t index) {
  const float radius = std::sqrt(-2 * std::log(1 - random_float(seed, 2 * index)));
  return radius * std::cos(2 * std::numbers::pi_v<float> * random_float(seed, 2 * index + 1));
}

// Returns a brightness. Bright sources are rare: of all above a given brightness, one in ten exceeds ten
// times that brightness.
float random_peak(std::uint64_t seed, std::size_t index) {
  return std::min(6 / (1 - random_float(seed, index)), 250.0f) * synthetic_sigma;
}

void add_source(std::span<float> image, std::size_t width, float x, float y, float peak) {
  const std::size_t height = image.size() / width;
  const float right = static_cast<float>(width) - 1, bottom = static_cast<float>(height) - 1;
  const auto first_x = static_cast<std::size_t>(std::max(x - reach, 0.0f));
  const auto first_y = static_cast<std::size_t>(std::max(y - reach, 0.0f));
  const auto last_x = static_cast<std::size_t>(std::min(x + reach, right));
  const auto last_y = static_cast<std::size_t>(std::min(y + reach, bottom));
  for (std::size_t row = first_y; row <= last_y; ++row)
    for (std::size_t column = first_x; column <= last_x; ++column) {
      const float dx = static_cast<float>(column) - x, dy = static_cast<float>(row) - y;
      image[row * width + column] += peak * std::exp(-(dx * dx + dy * dy) / (2 * beam_sigma * beam_sigma));
    }
}

}  // namespace

void fill_synthetic_sky(std::span<float> image, std::size_t width, std::uint64_t seed) {
#pragma omp parallel for
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = synthetic_sigma * gaussian(3 * seed, i);

  const std::size_t height = image.size() / width;
  const float columns = static_cast<float>(width), rows = static_cast<float>(height);
  for (std::size_t i = 0; i < 1 + image.size() / pixels_per_source; ++i) {
    const float x = columns * random_float(3 * seed + 1, 2 * i);
    const float y = rows * random_float(3 * seed + 1, 2 * i + 1);
    add_source(image, width, x, y, random_peak(3 * seed + 2, i));
  }
}

}  // namespace gpulab::lessons::radio_astronomy
