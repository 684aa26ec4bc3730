#pragma once

#include <cstddef>
#include <string>

#include "lesson/launch.hpp"

// How the kernels of matmul_by_size.cu are launched.

namespace gpulab::lessons::matmul {

// A tile of C for a block of 8 warps, and how they stand in it. The warps that it takes to fill the tile are
// a slice: where there are several, each has a part of k.
struct TileShape {
  unsigned rows = 0, columns = 0, warps_down = 0, warps_across = 0;
  double speed = 0;  // which part of the multiply-adds of a multiprocessor a block does

  unsigned slices() const;
  // Columns of A that are copied at once. Aligned: all rows begin at a multiple of 16 bytes.
  unsigned depth(bool aligned) const;
  std::size_t shared_bytes() const;
  std::string kernel(bool aligned) const;
};

struct TileChoice {
  TileShape tile;
  unsigned blocks = 0;
  bool shared = false;  // blocks share tiles and wait for each other, so all have to be on the device at once
};

// For C with m x n elements, each a sum of k products: what should take the least time on a GPU with so many
// multiprocessors.
TileChoice tile_by_size(std::size_t m, std::size_t n, std::size_t k, unsigned multiprocessors);

// Of the tile that needs most.
std::size_t most_shared_bytes();

// Launches the kernel with the tile that suits the size.
void multiply_by_size(Execution& run);

}  // namespace gpulab::lessons::matmul
