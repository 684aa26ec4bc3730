#include "convolution_1d/reference.hpp"

#include <algorithm>
#include <vector>

#include "widest_vectors.hpp"

namespace gpulab::convolution_1d {
namespace {

constexpr std::size_t strip = 64;    // neighbouring sums that fit the vector registers
constexpr std::size_t piece = 8192;  // outputs whose inputs fit the cache of one core

GPULAB_WIDEST_VECTORS void convolve_strip(const float* source, const float* turned, std::size_t taps,
                                          float* output) {
  float sums[strip] = {};
  for (std::size_t j = 0; j < taps; ++j)
    for (std::size_t i = 0; i < strip; ++i) sums[i] += turned[j] * source[j + i];
  for (std::size_t i = 0; i < strip; ++i) output[i] = sums[i];
}

// A piece of the input from that place on, with as many elements before it as the filter reaches back, and
// zeros where there are none.
std::vector<float> surroundings(std::span<const float> input, std::size_t place, std::size_t before) {
  std::vector<float> source(before + piece);
  const std::size_t first =
      place < before ? 0 : place - before;  // of the input; the source may begin earlier
  const std::size_t zeros = place < before ? before - place : 0;
  if (first < input.size())
    std::copy_n(&input[first], std::min(source.size() - zeros, input.size() - first), &source[zeros]);
  return source;
}

}  // namespace

void convolve(std::span<const float> input, std::span<const float> filter, std::size_t offset,
              std::span<float> output) {
  const std::size_t taps = filter.size(), size = input.size();
  for (std::size_t i = 0; i < output.size(); ++i) {
    const std::size_t last =
        i + offset;  // of the inputs that meet the filter; the first is last - (taps - 1)
    double sum = 0;
    for (std::size_t j = last < size ? 0 : last - size + 1; j < std::min(taps, last + 1); ++j)
      sum += static_cast<double>(filter[j]) * input[last - j];
    output[i] = static_cast<float>(sum);
  }
}

void convolve_openmp(std::span<const float> input, std::span<const float> filter, std::size_t offset,
                     std::span<float> output) {
  const std::size_t taps = filter.size();
  const std::vector<float> turned(filter.rbegin(), filter.rend());
#pragma omp parallel for
  for (std::size_t first = 0; first < output.size(); first += piece) {
    const std::size_t length = std::min(piece, output.size() - first);
    const std::vector<float> source = surroundings(input, first + offset, taps - 1);
    float sums[strip];
    for (std::size_t i = 0; i < length; i += strip) {
      convolve_strip(&source[i], turned.data(), taps, sums);
      std::copy_n(sums, std::min(strip, length - i), &output[first + i]);
    }
  }
}

}  // namespace gpulab::convolution_1d
