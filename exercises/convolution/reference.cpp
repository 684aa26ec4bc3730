#include "convolution/reference.hpp"

#include <algorithm>
#include <vector>

#include "widest_vectors.hpp"

namespace gpulab::convolution {
namespace {

constexpr std::size_t strip = 64;        // neighbouring sums that fit the vector registers
constexpr std::size_t band_height = 32;  // rows that fit the cache of one core, with what surrounds them

std::size_t whole_strips(std::size_t width) {
  return (width + strip - 1) / strip * strip;
}

// The filter turned round, so that it runs over the image in the image's own direction.
Filter turned(Filter filter) {
  std::ranges::reverse(filter.values);
  return filter;
}

// Rows of an image with some pixels on each side. Its width is rounded up, for strips that end beyond the
// image.
struct Band {
  std::size_t stride, height;
  std::vector<float> pixels;

  Band(std::size_t stride, std::size_t height) : stride(stride), height(height), pixels(stride * height) {}
};

// Rows first_row to first_row + height of the image and, around them, what the filter needs of its
// surroundings.
Band band_around(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
                 std::size_t first_row, std::size_t height) {
  Band band(whole_strips(frame.width) + filter.width - 1, height + filter.height - 1);
  const auto left = static_cast<std::ptrdiff_t>(filter.width / 2);
  const auto top = static_cast<std::ptrdiff_t>(first_row) - static_cast<std::ptrdiff_t>(filter.height / 2);
  const auto width = static_cast<std::ptrdiff_t>(frame.width);
  for (std::size_t row = 0; row < band.height; ++row) {
    const auto y =
        source_of(top + static_cast<std::ptrdiff_t>(row), static_cast<std::ptrdiff_t>(frame.height), border);
    if (y < 0) continue;
    const float* source = image.data() + y * width;
    float* pixels = &band.pixels[row * band.stride];
    std::copy_n(source, frame.width, pixels + left);
    for (std::ptrdiff_t x = 0; x < left; ++x) {
      const auto before = source_of(x - left, width, border), after = source_of(width + x, width, border);
      pixels[x] = before < 0 ? 0 : source[before];
      pixels[left + width + x] = after < 0 ? 0 : source[after];
    }
  }
  return band;
}

GPULAB_WIDEST_VECTORS void convolve_strip(const float* source, std::size_t stride, const float* filter,
                                          std::size_t filter_width, std::size_t filter_height,
                                          float* output) {
  float sums[strip] = {};
  for (std::size_t j = 0; j < filter_height; ++j)
    for (std::size_t i = 0; i < filter_width; ++i)
      for (std::size_t x = 0; x < strip; ++x)
        sums[x] += filter[j * filter_width + i] * source[j * stride + i + x];
  for (std::size_t x = 0; x < strip; ++x) output[x] = sums[x];
}

// Every row of the band that has all the rows it needs below it.
Band convolve_band(const Band& band, const Filter& filter) {
  const std::size_t width = band.stride - (filter.width - 1);
  Band output(width, band.height - (filter.height - 1));
  for (std::size_t row = 0; row < output.height; ++row)
    for (std::size_t x = 0; x < width; x += strip)
      convolve_strip(&band.pixels[row * band.stride + x], band.stride, filter.values.data(), filter.width,
                     filter.height, &output.pixels[row * width + x]);
  return output;
}

}  // namespace

void convolve(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
              std::span<float> output) {
  const auto width = static_cast<std::ptrdiff_t>(frame.width),
             height = static_cast<std::ptrdiff_t>(frame.height);
  const auto filter_width = static_cast<std::ptrdiff_t>(filter.width);
  const auto filter_height = static_cast<std::ptrdiff_t>(filter.height);
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      double sum = 0;
      for (std::ptrdiff_t j = 0; j < filter_height; ++j) {
        const auto row = source_of(y + filter_height / 2 - j, height, border);
        if (row < 0) continue;
        for (std::ptrdiff_t i = 0; i < filter_width; ++i) {
          const auto column = source_of(x + filter_width / 2 - i, width, border);
          if (column >= 0) sum += double{filter.values[j * filter_width + i]} * image[row * width + column];
        }
      }
      output[y * width + x] = static_cast<float>(sum);
    }
  }
}

void convolve_openmp(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
                     std::span<float> output) {
  std::vector<Filter> passes;
  if (const auto separated = separate(filter))
    passes = {turned({filter.width, 1, separated->row}), turned({1, filter.height, separated->column})};
  else
    passes = {turned(filter)};
#pragma omp parallel for schedule(dynamic)
  for (std::size_t first = 0; first < frame.height; first += band_height) {
    const std::size_t height = std::min(band_height, frame.height - first);
    Band band = band_around(frame, image, filter, border, first, height);
    for (const Filter& pass : passes) band = convolve_band(band, pass);
    for (std::size_t row = 0; row < height; ++row)
      std::copy_n(&band.pixels[row * band.stride], frame.width, &output[(first + row) * frame.width]);
  }
}

}  // namespace gpulab::convolution
