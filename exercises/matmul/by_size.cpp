#include "matmul/by_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "matmul/arrays.hpp"

namespace gpulab::lessons::matmul {

constexpr unsigned threads = 256, warps = 8;
constexpr unsigned max_sharing_blocks = 160;  // the kernel has no room for the sums of more

// A large tile needs fewer loads per multiplication, small tiles keep more multiprocessors busy. The numbers
// of the model are fitted to times of 700 shapes on an H200.
constexpr std::array<TileShape, 8> tiles{{{32, 32, 1, 1, 0.68, 0.56},
                                          {32, 64, 2, 1, 0.72, 0.57},
                                          {48, 64, 1, 1, 0.76, 0.63},
                                          {64, 64, 4, 1, 0.73, 0.65},
                                          {96, 64, 2, 1, 0.80, 0.69},
                                          {128, 64, 2, 1, 0.82, 0.67},
                                          {192, 128, 4, 2, 0.86, 0.79},
                                          {256, 128, 4, 2, 0.91, 0.79}}};

unsigned TileShape::slices() const {
  return warps / (warps_down * warps_across);
}

unsigned TileShape::depth(bool aligned) const {
  return slices() == 1 && aligned ? 16 : slices() * 8;
}

// Returns room for three stages of tiles or, afterwards, the sums of all slices.
std::size_t TileShape::shared_bytes() const {
  const std::size_t floats_per_stage = rows * (depth(true) + 4) + depth(true) * columns;
  const std::size_t sums = slices() > 1 ? slices() * rows * columns : 0;
  return std::max(3 * floats_per_stage, sums) * sizeof(float);
}

std::string TileShape::kernel(bool aligned) const {
  std::string name = "matmul_by_size<";
  for (const unsigned number : {rows, columns, warps_down, warps_across})
    name += std::to_string(number) + ", ";
  return name + (aligned ? "4>" : "1>");
}

std::size_t least_shared_bytes() {
  return std::ranges::min(tiles, {}, &TileShape::shared_bytes).shared_bytes();
}

// Returns the cycles of a multiprocessor for `count` tiles, without cycles that are the same for every
// choice. If blocks share tiles, the count may be a fraction.
double cycles(const TileShape& tile, double speed, double count, double k, bool blocks_share_tiles) {
  constexpr double multiply_adds = 128;  // per multiprocessor and cycle
  constexpr double to_change_tiles = 4000;
  constexpr double to_wait = 5000;  // for the other blocks
  constexpr double to_add = 0.8;    // for each element that they leave
  const double elements = tile.rows * tile.columns;
  return count * elements * k / (multiply_adds * speed) + (std::ceil(count) - 1) * to_change_tiles +
         (blocks_share_tiles ? to_wait + to_add * elements : 0);
}

TileChoice tile_by_size(std::size_t m, std::size_t n, std::size_t k, unsigned multiprocessors,
                        std::size_t max_shared_bytes) {
  const bool aligned = n % 4 == 0 && k % 4 == 0;
  const unsigned sharing = std::min(multiprocessors, max_sharing_blocks);
  TileChoice best;
  double least_cost = 0;  // cycles
  for (const TileShape& tile : tiles) {
    if (tile.shared_bytes() > max_shared_bytes) continue;
    const unsigned count = ceil_div(m, tile.rows) * ceil_div(n, tile.columns);
    const std::size_t stages = ceil_div(k, tile.depth(aligned));
    const auto consider = [&](unsigned blocks, double tiles_each, bool blocks_share_tiles) {
      const double cost = cycles(tile, aligned ? tile.speed : tile.unaligned_speed, tiles_each,
                                 static_cast<double>(stages * tile.depth(aligned)), blocks_share_tiles);
      if (best.blocks > 0 && cost >= least_cost) return;
      best = {tile, blocks, blocks_share_tiles};
      least_cost = cost;
    };
    consider(count, ceil_div(count, multiprocessors), false);
    // With one stage per block, blocks would mostly add up partial sums.
    const unsigned per_tile = std::min<std::size_t>(sharing / count, stages / 2);
    if (per_tile > 1)
      consider(per_tile * count, 1.0 / per_tile, true);
    else if (count > sharing && count % sharing > 0 && count * stages >= 4 * sharing)
      consider(sharing, static_cast<double>(count) / sharing, true);
  }
  return best;
}

void multiply_by_size(Execution& run) {
  const LaunchRequest& request = run.request();
  const int m = request[rows], n = request[columns], k = request[terms];
  const bool aligned = n % 4 == 0 && k % 4 == 0;
  const TileShape& largest = tiles.back();  // a multiprocessor holds one block of it
  const unsigned multiprocessors =
      run.resident_blocks(largest.kernel(aligned), all_arguments, threads, largest.shared_bytes());
  const TileChoice chosen = tile_by_size(m, n, k, multiprocessors, request.max_shared_bytes);
  run.launch(chosen.tile.kernel(aligned),
             LaunchConfig{.grid = {chosen.blocks},
                          .block = {threads},
                          .dynamic_shared_bytes = chosen.tile.shared_bytes(),
                          .cooperative = chosen.blocks_share_tiles},
             all_arguments);
}

}  // namespace gpulab::lessons::matmul
