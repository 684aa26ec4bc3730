#pragma once

#include <cstddef>
#include <string>

#include "lesson/launch.hpp"

// Launches of the kernels of matmul_by_size.cu.

namespace gpulab::lessons::matmul {

// Tile of C for a block of 8 warps, and the arrangement of the warps. The warps that fill the tile once are a
// slice. Several slices divide k among them: split-K inside the block.
struct TileShape {
  unsigned rows = 0, columns = 0, warps_down = 0, warps_across = 0;
  // Fractions of the peak multiply-adds of a multiprocessor, with copies of 16 bytes and of 4.
  double speed = 0, unaligned_speed = 0;

  unsigned slices() const;
  // Returns the columns of A that are copied at once. Aligned: all rows begin at a multiple of 16 bytes.
  unsigned depth(bool aligned) const;
  std::size_t shared_bytes() const;
  std::string kernel(bool aligned) const;
};

struct TileChoice {
  TileShape tile;
  unsigned blocks = 0;
  // If true, the blocks wait for each other, and all have to be on the device at once.
  bool blocks_share_tiles = false;
};

// Returns the choice that should take the least time for C with m x n elements, each a sum of k products, on
// a GPU with the given number of multiprocessors and shared memory per block.
TileChoice tile_by_size(std::size_t m, std::size_t n, std::size_t k, unsigned multiprocessors,
                        std::size_t max_shared_bytes);

// Returns the shared memory of the tile that needs the least of it.
std::size_t least_shared_bytes();

// Launches the kernel with the tile that suits the size.
void multiply_by_size(Execution& run);

}  // namespace gpulab::lessons::matmul
