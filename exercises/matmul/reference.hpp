#pragma once

#include <cstddef>
#include <span>

namespace gpulab::lessons::matmul {

// Sizes of C (m x n) = A (m x k) B (k x n), all row-major.
struct Sizes {
  std::size_t m = 0, n = 0, k = 0;
};

// Multiplies on one thread, summed in double. The loops are ordered so that the inner one runs along rows.
void multiply(Sizes sizes, std::span<const float> A, std::span<const float> B, std::span<float> C);

// Multiplies on all threads: in blocks that fit the caches, and within a block in tiles whose sums stay in
// vector registers.
void multiply_openmp(Sizes sizes, std::span<const float> A, std::span<const float> B, std::span<float> C);

}  // namespace gpulab::lessons::matmul
