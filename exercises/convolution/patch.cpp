#include "convolution/patch.hpp"

#include <utility>

#include "core/cpu_vectors.hpp"

namespace gpulab::convolution {
namespace {

// Sums in vector registers. A pixel that was loaded counts in all rows of the patch, an element of the filter
// in all its columns. The more rows the better, because most pixels straddle two cache lines: they cost two
// loads.
template <class V>
constexpr std::size_t patch_rows = V::registers == 32 ? 6 : 3;
constexpr std::size_t patch_vectors = 4;

template <class V>
using Sums = typename V::Floats[patch_rows<V>][patch_vectors];

// Adds a row of the image to the rows first to past - 1 of the patch. For the first of them it is met by the
// filter's row that begins at elements, for the next by the one before that.
template <class V, std::size_t first, std::size_t past>
GPULAB_INLINED inline void add_row(const float* pixels, const float* elements, std::size_t filter_width,
                                   Sums<V>& sums) {
  for (std::size_t i = 0; i < filter_width; ++i)
#pragma GCC unroll 8
    for (std::size_t k = 0; k < patch_vectors; ++k) {
      typename V::Floats pixel;
      V::load(pixels + i + k * V::lanes, pixel);
#pragma GCC unroll 8
      for (std::size_t row = first; row < past; ++row)
        sums[row][k] += *(elements + i - (row - first) * filter_width) * pixel;
    }
}

template <class Body, std::size_t... i>
GPULAB_INLINED inline void unrolled(std::index_sequence<i...>, const Body& body) {
  (body(std::integral_constant<std::size_t, i>{}), ...);
}

// The first rows of the image meet the first rows of the patch alone, and the last rows the last.
template <class V>
GPULAB_INLINED inline void correlate_patch(const float* const* rows, std::size_t x, const Filter& filter,
                                           float* output, std::size_t stride) {
  constexpr std::size_t height = patch_rows<V>;
  constexpr auto edge = std::make_index_sequence<height - 1>{};
  const auto filter_row = [&](std::size_t row)
                              GPULAB_INLINED { return filter.values.data() + row * filter.width; };
  Sums<V> sums = {};
  unrolled(edge, [&](auto row) GPULAB_INLINED {
    add_row<V, 0, row + 1>(rows[row] + x, filter_row(row), filter.width, sums);
  });
  for (std::size_t row = height - 1; row < filter.height; ++row)
    add_row<V, 0, height>(rows[row] + x, filter_row(row), filter.width, sums);
  unrolled(edge, [&](auto row) GPULAB_INLINED {
    add_row<V, row + 1, height>(rows[filter.height + row] + x, filter_row(filter.height - 1), filter.width,
                                sums);
  });
#pragma GCC unroll 8
  for (std::size_t row = 0; row < height; ++row)
#pragma GCC unroll 8
    for (std::size_t k = 0; k < patch_vectors; ++k)
      V::store(sums[row][k], output + row * stride + x + k * V::lanes);
}

}  // namespace

PatchShape shape_of_patches() {
  PatchShape shape;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    shape = {patch_rows<V>, patch_vectors * V::lanes};
  });
  return shape;
}

void correlate_rows(const float* const* rows, const Filter& filter, std::size_t columns, float* output,
                    std::size_t stride) {
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    for (std::size_t x = 0; x < columns; x += patch_vectors * V::lanes)
      correlate_patch<V>(rows, x, filter, output, stride);
  });
}

}  // namespace gpulab::convolution
