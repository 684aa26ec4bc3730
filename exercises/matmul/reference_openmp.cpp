#include <algorithm>
#include <memory>

#include "base/cpu_vectors.hpp"
#include "matmul/reference.hpp"

// Multiplies as libraries do (Goto and van de Geijn, Anatomy of high-performance matrix multiplication,
// 2008): a tile of C stays in vector registers while a packed panel of A and one of B stream past. A panel is
// as deep as fits the first-level cache; the panels of a block fit the second-level cache.

namespace gpulab::lessons::matmul {
namespace {

constexpr std::size_t block_depth = 256;
constexpr std::size_t block_rows = 120, block_columns = 256;  // part of C that a thread computes at a time

// 12 x 2 vectors of sums leave room for two of B and one element of A; with 16 registers, 6 x 2 do.
template <class V>
constexpr std::size_t tile_rows = V::registers == 32 ? 12 : 6;
template <class V>
constexpr std::size_t tile_columns = 2 * V::lanes;

struct CpuTile {
  std::size_t rows = 1, columns = 1;
};

CpuTile shape_of_tiles() {
  CpuTile shape;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    shape = {tile_rows<decltype(vectors)>, tile_columns<decltype(vectors)>};
  });
  return shape;
}

// Memory aligned to cache lines, so that no vector of a panel lies in two.
class Panels {
 public:
  explicit Panels(std::size_t rows_or_columns)
      : lines_(std::make_unique_for_overwrite<Line[]>(rows_or_columns * block_depth / floats_per_line)) {}
  float* panel(std::size_t first) { return lines_[0].values + first * block_depth; }

 private:
  struct alignas(64) Line {
    float values[floats_per_line];
  };
  std::unique_ptr<Line[]> lines_;
};

// Packs columns first to first + depth of `rows` rows of A, column by column; rows beyond the last are zero.
void pack_rows(Sizes sizes, const float* A, std::size_t row, std::size_t rows, std::size_t first,
               std::size_t depth, float* panel) {
  const std::size_t inside = std::min(rows, sizes.m - row);
  const float* source = A + row * sizes.k + first;
  for (std::size_t p = 0; p < depth; ++p)
    for (std::size_t r = 0; r < rows; ++r) panel[p * rows + r] = r < inside ? source[r * sizes.k + p] : 0;
}

// Packs rows first to first + depth of `columns` columns of B, row by row; columns beyond the last are zero.
void pack_columns(Sizes sizes, const float* B, std::size_t column, std::size_t columns, std::size_t first,
                  std::size_t depth, float* panel) {
  const std::size_t inside = std::min(columns, sizes.n - column);
  for (std::size_t p = 0; p < depth; ++p) {
    std::copy_n(B + (first + p) * sizes.n + column, inside, panel + p * columns);
    std::fill_n(panel + p * columns + inside, columns - inside, 0.0f);
  }
}

// Adds the product of two panels to a tile of C, or stores it if it is the first.
template <class V>
GPULAB_INLINED inline void multiply_tile(const float* a, const float* b, std::size_t depth, bool accumulate,
                                         float* c, std::size_t stride) {
  constexpr std::size_t rows = tile_rows<V>, columns = tile_columns<V>;
  typename V::Floats sums[rows][2] = {};
  const auto add_products = [&](std::size_t first, std::size_t past) GPULAB_INLINED {
    for (std::size_t p = first; p < past; ++p) {
      typename V::Floats left, right;
      V::load(b + p * columns, left);
      V::load(b + p * columns + V::lanes, right);
#pragma GCC unroll 16
      for (std::size_t row = 0; row < rows; ++row) {
        sums[row][0] += a[p * rows + row] * left;
        sums[row][1] += a[p * rows + row] * right;
      }
    }
  };
  add_products(0, depth / 2);
  // The tile of C is needed at the end and may lie far away. An earlier prefetch would be evicted: rows that
  // are a power of two apart share cache sets.
  for (std::size_t row = 0; row < rows; ++row)
    for (const std::size_t column : {std::size_t{0}, V::lanes, columns - 1})  // rows may begin in a line
      __builtin_prefetch(c + row * stride + column, 1);
  add_products(depth / 2, depth);
#pragma GCC unroll 16
  for (std::size_t row = 0; row < rows; ++row)
#pragma GCC unroll 2
    for (std::size_t half = 0; half < 2; ++half) {
      float* target = c + row * stride + half * V::lanes;
      typename V::Floats previous = {};
      if (accumulate) V::load(target, previous);
      V::store(previous + sums[row][half], target);
    }
}

// Multiplies a block of C for one packed depth of A and B. Tiles at the edges of C are computed in
// `edge_tile`.
void multiply_block(Sizes sizes, Panels& A, Panels& B, std::size_t first_row, std::size_t first_column,
                    std::size_t depth, bool accumulate, float* C) {
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    constexpr std::size_t tall = tile_rows<V>, wide = tile_columns<V>;
    float edge_tile[tall * wide] = {};
    const std::size_t past_row = std::min(first_row + block_rows, sizes.m);
    const std::size_t past_column = std::min(first_column + block_columns, sizes.n);
    // While a panel of B is used for all rows, the next one is prefetched, some floats for each row.
    const std::size_t floats_per_row = wide * depth / block_rows;
    for (std::size_t column = first_column; column < past_column; column += wide)
      for (std::size_t row = first_row; row < past_row; row += tall) {
        const std::size_t rows = std::min(tall, sizes.m - row), columns = std::min(wide, sizes.n - column);
        const bool fits = rows == tall && columns == wide;
        float* c = C + row * sizes.n + column;
        prefetch(B.panel(column + wide) + (row - first_row) * floats_per_row, tall * floats_per_row);
        if (!fits && accumulate)
          for (std::size_t r = 0; r < rows; ++r) std::copy_n(c + r * sizes.n, columns, edge_tile + r * wide);
        multiply_tile<V>(A.panel(row), B.panel(column), depth, accumulate, fits ? c : edge_tile,
                         fits ? sizes.n : wide);
        if (!fits)
          for (std::size_t r = 0; r < rows; ++r) std::copy_n(edge_tile + r * wide, columns, c + r * sizes.n);
      }
  });
}

}  // namespace

void multiply_openmp(Sizes sizes, std::span<const float> A, std::span<const float> B, std::span<float> C) {
  const CpuTile tile = shape_of_tiles();
  Panels panels_of_A(rounded_up(sizes.m, tile.rows));
  Panels panels_of_B(rounded_up(sizes.n, tile.columns));
#pragma omp parallel
  for (std::size_t first = 0; first < sizes.k; first += block_depth) {
    const std::size_t depth = std::min(block_depth, sizes.k - first);
#pragma omp for nowait
    for (std::size_t row = 0; row < sizes.m; row += tile.rows)
      pack_rows(sizes, A.data(), row, tile.rows, first, depth, panels_of_A.panel(row));
#pragma omp for
    for (std::size_t column = 0; column < sizes.n; column += tile.columns)
      pack_columns(sizes, B.data(), column, tile.columns, first, depth, panels_of_B.panel(column));
#pragma omp for collapse(2) schedule(dynamic)
    for (std::size_t row = 0; row < sizes.m; row += block_rows)
      for (std::size_t column = 0; column < sizes.n; column += block_columns)
        multiply_block(sizes, panels_of_A, panels_of_B, row, column, depth, first > 0, C.data());
  }
}

}  // namespace gpulab::lessons::matmul
