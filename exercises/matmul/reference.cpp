#include "matmul/reference.hpp"

#include <algorithm>
#include <vector>

namespace gpulab::lessons::matmul {

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

}  // namespace gpulab::lessons::matmul
