#include "estimate/gpu.hpp"

#include <algorithm>
#include <cmath>

namespace gpulab::estimate {
namespace {

double rounded_up(double value, double unit) {
  return std::ceil(value / unit) * unit;
}

}  // namespace

// A warp gets registers in pieces of 256. Each of the four parts of a multiprocessor has registers of its
// own. A block gets shared memory in pieces of 128 bytes.
Occupancy occupancy_of(const Gpu& gpu, int registers_per_thread, std::size_t shared_bytes_per_block,
                       std::size_t threads_per_block) {
  constexpr double parts = 4, lanes = 32, register_unit = 256, shared_unit = 128;
  const double warps = std::ceil(static_cast<double>(threads_per_block) / lanes);
  struct Limit {
    double blocks;
    const char* name;
  };
  std::vector<Limit> limits = {{std::floor(gpu.warps / warps), "warps"}, {gpu.blocks, "blocks"}};
  if (registers_per_thread > 0) {
    const double of_warp = rounded_up(registers_per_thread * lanes, register_unit);
    const double warps_of_part = std::floor(gpu.registers / parts / of_warp);
    limits.push_back({std::floor(warps_of_part * parts / rounded_up(warps, parts)), "registers"});
  }
  if (shared_bytes_per_block > 0) {
    const double bytes =
        rounded_up(static_cast<double>(shared_bytes_per_block) + gpu.reserved_shared_bytes, shared_unit);
    limits.push_back({std::floor(gpu.shared_bytes / bytes), "shared memory"});
  }
  const Limit least = *std::ranges::min_element(limits, {}, &Limit::blocks);
  return {static_cast<unsigned>(least.blocks), least.blocks * warps / gpu.warps, least.name};
}

}  // namespace gpulab::estimate
