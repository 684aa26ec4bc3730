#include "correlation/correlate_row.hpp"

#include <algorithm>

#include "base/cpu_vectors.hpp"

namespace gpulab {
namespace {

// Vectors of neighbouring outputs: enough that no multiply-add waits for the one before it.
constexpr std::size_t vectors_of_strip = 8;

template <class V, std::size_t vectors, bool streaming>
GPULAB_INLINED inline void correlate_strip(const float* source, std::span<const float> taps, float* output) {
  typename V::Floats sums[vectors] = {};
  for (std::size_t j = 0; j < taps.size(); ++j)
#pragma GCC unroll 8
    for (std::size_t k = 0; k < vectors; ++k) {
      typename V::Floats neighbours;
      V::load(source + j + k * V::lanes, neighbours);
      sums[k] += taps[j] * neighbours;
    }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < vectors; ++k)
    if constexpr (streaming)
      streaming_store<V>(sums[k], output + k * V::lanes);
    else
      V::store(sums[k], output + k * V::lanes);
}

float correlate_once(const float* source, std::span<const float> taps) {
  float sum = 0;
  for (std::size_t j = 0; j < taps.size(); ++j) sum += taps[j] * source[j];
  return sum;
}

// Returns how many outputs it computed: all but the last ones, which do not fill a strip.
template <bool streaming>
std::size_t correlate_strips(const float* source, std::span<const float> taps, std::span<float> output) {
  std::size_t i = 0;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    constexpr std::size_t strip = vectors_of_strip * V::lanes;
    for (; i + strip <= output.size(); i += strip)
      correlate_strip<V, vectors_of_strip, streaming>(source + i, taps, &output[i]);
    if constexpr (!streaming)
      for (; i + V::lanes <= output.size(); i += V::lanes)
        correlate_strip<V, 1, streaming>(source + i, taps, &output[i]);
  });
  return i;
}

}  // namespace

void correlate_row(const float* source, std::span<const float> taps, std::span<float> output) {
  for (std::size_t i = correlate_strips<false>(source, taps, output); i < output.size(); ++i)
    output[i] = correlate_once(source + i, taps);
}

void correlate_row_past_caches(const float* source, std::span<const float> taps, std::span<float> output) {
  const std::size_t head = std::min(output.size(), floats_before_line(output.data()));
  const std::size_t done = head + correlate_strips<true>(source + head, taps, output.subspan(head));
  correlate_row(source, taps, output.first(head));
  correlate_row(source + done, taps, output.subspan(done));
}

}  // namespace gpulab
