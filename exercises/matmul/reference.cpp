#include "matmul/reference.hpp"

#include <algorithm>
#include <vector>

#include "widest_vectors.hpp"

namespace gpulab::matmul {
namespace {

constexpr std::size_t tile_rows = 4, tile_columns = 32;     // of C, in vector registers
constexpr std::size_t block_rows = 128, block_depth = 256;  // of A, in the cache of one core

// Adds to a tile of C the product of four rows of A and a panel of B, which holds its 32 columns side by
// side.
GPULAB_WIDEST_VECTORS void add_tile(const float* a, std::size_t a_stride, const float* panel,
                                    std::size_t depth, float* c, std::size_t c_stride) {
  float sums[tile_rows][tile_columns] = {};
  for (std::size_t p = 0; p < depth; ++p)
    for (std::size_t row = 0; row < tile_rows; ++row)
      for (std::size_t column = 0; column < tile_columns; ++column)
        sums[row][column] += a[row * a_stride + p] * panel[p * tile_columns + column];
  for (std::size_t row = 0; row < tile_rows; ++row)
    for (std::size_t column = 0; column < tile_columns; ++column)
      c[row * c_stride + column] += sums[row][column];
}

// A tile at the lower or right edge of C.
void add_partial_tile(const float* a, std::size_t a_stride, const float* panel, std::size_t depth, float* c,
                      std::size_t c_stride, std::size_t rows, std::size_t columns) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t p = 0; p < depth; ++p)
      for (std::size_t column = 0; column < columns; ++column)
        c[row * c_stride + column] += a[row * a_stride + p] * panel[p * tile_columns + column];
}

// The part of C that one thread computes at a time.
struct Block {
  std::size_t first_row, rows, first_column, columns;
};

void multiply_block(const Sizes& sizes, const Block& block, const float* A, const float* B, float* C) {
  std::vector<float> panel(block_depth * tile_columns);
  for (std::size_t row = 0; row < block.rows; ++row)
    std::fill_n(C + (block.first_row + row) * sizes.n + block.first_column, block.columns, 0.0f);
  for (std::size_t first = 0; first < sizes.k; first += block_depth) {
    const std::size_t depth = std::min(block_depth, sizes.k - first);
    for (std::size_t p = 0; p < depth; ++p)
      std::copy_n(B + (first + p) * sizes.n + block.first_column, block.columns, &panel[p * tile_columns]);
    for (std::size_t row = 0; row < block.rows; row += tile_rows) {
      const float* a = A + (block.first_row + row) * sizes.k + first;
      float* c = C + (block.first_row + row) * sizes.n + block.first_column;
      const std::size_t rows = std::min(tile_rows, block.rows - row);
      if (rows == tile_rows && block.columns == tile_columns)
        add_tile(a, sizes.k, panel.data(), depth, c, sizes.n);
      else
        add_partial_tile(a, sizes.k, panel.data(), depth, c, sizes.n, rows, block.columns);
    }
  }
}

}  // namespace

void multiply(Sizes sizes, std::span<const float> A, std::span<const float> B, std::span<float> C) {
  std::vector<double> sums(sizes.n);
  for (std::size_t row = 0; row < sizes.m; ++row) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t i = 0; i < sizes.k; ++i) {
      const double a = A[row * sizes.k + i];
      for (std::size_t column = 0; column < sizes.n; ++column) sums[column] += a * B[i * sizes.n + column];
    }
    for (std::size_t column = 0; column < sizes.n; ++column)
      C[row * sizes.n + column] = static_cast<float>(sums[column]);
  }
}

void multiply_openmp(Sizes sizes, std::span<const float> A, std::span<const float> B, std::span<float> C) {
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (std::size_t row = 0; row < sizes.m; row += block_rows)
    for (std::size_t column = 0; column < sizes.n; column += tile_columns)
      multiply_block(
          sizes, {row, std::min(block_rows, sizes.m - row), column, std::min(tile_columns, sizes.n - column)},
          A.data(), B.data(), C.data());
}

}  // namespace gpulab::matmul
