#include "convolution/patch.hpp"

#include <utility>

#include "base/cpu_vectors.hpp"

namespace gpulab::lessons::convolution {
namespace {

// Register tile of sums. A loaded pixel is used in all rows of the patch, a filter element in all its
// columns. More rows are better, because most vectors of pixels straddle two cache lines and cost two loads.
template <class V>
constexpr std::size_t patch_rows = V::registers == 32 ? 6 : 3;
constexpr std::size_t patch_vectors = 4;

template <class V>
using Sums = typename V::Floats[patch_rows<V>][patch_vectors];

// Adds the pixels of `upper` to the first `upper_rows` rows of the patch, and those of `lower` to the rest.
// The first row of the patch is multiplied by the filter row `elements`, the next one by the filter row
// before it, and so on, cyclically.
template <class V, std::size_t upper_rows>
GPULAB_INLINED inline void add_rows(const float* upper, const float* lower, const float* elements,
                                    const Filter& filter, Sums<V>& sums) {
  const auto width = static_cast<std::ptrdiff_t>(filter.width);
  const auto all = static_cast<std::ptrdiff_t>(filter.values.size());
  for (std::ptrdiff_t i = 0; i < width; ++i)
#pragma GCC unroll 8
    for (std::size_t k = 0; k < patch_vectors; ++k) {
      typename V::Floats pixel;
      V::load(upper + i + k * V::lanes, pixel);
      V::keep_in_register(pixel);
#pragma GCC unroll 8
      for (std::size_t row = 0; row < patch_rows<V>; ++row) {
        if (row == upper_rows) {
          V::load(lower + i + k * V::lanes, pixel);
          V::keep_in_register(pixel);
        }
        const auto back = static_cast<std::ptrdiff_t>(row) * width;
        sums[row][k] += elements[i - back + (row < upper_rows ? 0 : all)] * pixel;
      }
    }
}

template <class Body, std::size_t... i>
GPULAB_INLINED inline void unrolled(std::index_sequence<i...>, const Body& body) {
  (body(std::integral_constant<std::size_t, i>{}), ...);
}

// Computes a patch. The first image rows add only to its first rows, and the last image rows only to its last
// rows. One of each is taken at a time, so that every step adds to all sums.
template <class V>
GPULAB_INLINED inline void correlate_patch(const float* const* rows, std::size_t x, const Filter& filter,
                                           float* output, std::size_t stride) {
  constexpr std::size_t height = patch_rows<V>;
  const auto filter_row = [&](std::size_t row)
                              GPULAB_INLINED { return filter.values.data() + row * filter.width; };
  Sums<V> sums = {};
  unrolled(std::make_index_sequence<height - 1>{}, [&](auto row) GPULAB_INLINED {
    add_rows<V, row + 1>(rows[row] + x, rows[row + filter.height] + x, filter_row(row), filter, sums);
  });
  for (std::size_t row = height - 1; row < filter.height; ++row)
    add_rows<V, height>(rows[row] + x, nullptr, filter_row(row), filter, sums);
#pragma GCC unroll 8
  for (std::size_t row = 0; row < height; ++row)
#pragma GCC unroll 8
    for (std::size_t k = 0; k < patch_vectors; ++k)
      V::store(sums[row][k], output + row * stride + k * V::lanes);
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

void correlate_rows(const float* const* rows, std::size_t x, const Filter& filter, std::size_t columns,
                    float* output, std::size_t stride) {
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    for (std::size_t column = 0; column < columns; column += patch_vectors * V::lanes)
      correlate_patch<V>(rows, x + column, filter, output + column, stride);
  });
}

}  // namespace gpulab::lessons::convolution
