#include "convolution_1d/reference.hpp"

#include <algorithm>
#include <vector>

#include "correlation/correlate_row.hpp"

namespace gpulab::lessons::convolution_1d {
namespace {

constexpr std::size_t piece = std::size_t{1} << 14;  // outputs computed at a time

// Returns the inputs from `first` on, with zeros where there are none.
std::vector<float> padded(std::span<const float> input, std::ptrdiff_t first, std::size_t length) {
  std::vector<float> source(length);
  const std::ptrdiff_t size = std::ssize(input), past = first + static_cast<std::ptrdiff_t>(length);
  const std::ptrdiff_t from = std::clamp<std::ptrdiff_t>(first, 0, size);
  const std::ptrdiff_t to = std::clamp<std::ptrdiff_t>(past, from, size);
  std::copy(input.begin() + from, input.begin() + to, source.begin() + (from - first));
  return source;
}

}  // namespace

void convolve(std::span<const float> input, std::span<const float> filter, std::size_t offset,
              std::span<float> output) {
  const std::size_t taps = filter.size(), size = input.size();
  for (std::size_t i = 0; i < output.size(); ++i) {
    const std::size_t last = i + offset;  // last input that meets the filter; the first is last - (taps - 1)
    double sum = 0;
    for (std::size_t j = last < size ? 0 : last - size + 1; j < std::min(taps, last + 1); ++j)
      sum += static_cast<double>(filter[j]) * input[last - j];
    output[i] = static_cast<float>(sum);
  }
}

void convolve_openmp(std::span<const float> input, std::span<const float> filter, std::size_t offset,
                     std::span<float> output) {
  const std::size_t reach = filter.size() - 1;
  const std::vector<float> flipped(filter.rbegin(), filter.rend());
#pragma omp parallel for schedule(static) if (output.size() > piece)
  for (std::size_t begin = 0; begin < output.size(); begin += piece) {
    const std::size_t length = std::min(piece, output.size() - begin);
    const auto first = static_cast<std::ptrdiff_t>(begin + offset) - static_cast<std::ptrdiff_t>(reach);
    const std::span<float> sums = output.subspan(begin, length);
    if (first >= 0 && static_cast<std::size_t>(first) + reach + length <= input.size())
      correlate_row_past_caches(&input[first], flipped, sums);
    else
      correlate_row_past_caches(padded(input, first, reach + length).data(), flipped, sums);
  }
}

}  // namespace gpulab::lessons::convolution_1d
