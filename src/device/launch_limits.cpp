#include "device/launch_limits.hpp"

namespace gpulab {
namespace {

std::string text(const Extent& extent) {
  if (extent.y == 1 && extent.z == 1) return std::to_string(extent.x);
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " + std::to_string(extent.z);
}

bool exceeds(const Extent& extent, const Extent& most) {
  return extent.x > most.x || extent.y > most.y || extent.z > most.z;
}

}  // namespace

std::string broken_launch_limit(const LaunchConfig& config, std::size_t static_shared_bytes) {
  if (config.block.volume() == 0) return "a block needs at least one thread";
  if (config.grid.volume() == 0) return "a grid needs at least one block";
  if (config.block.volume() > max_threads_per_block)
    return "a block has at most 1024 threads, not " + text(config.block);
  if (exceeds(config.block, max_block))
    return "a block has at most " + text(max_block) + " threads in x, y and z, not " + text(config.block);
  if (exceeds(config.grid, max_grid))
    return "a grid has at most " + text(max_grid) + " blocks in x, y and z, not " + text(config.grid);
  if (static_shared_bytes + config.dynamic_shared_bytes > max_static_shared_bytes)
    return "a block has at most " + std::to_string(max_static_shared_bytes) +
           " bytes of shared memory, not " + std::to_string(static_shared_bytes) + " static and " +
           std::to_string(config.dynamic_shared_bytes) + " dynamic";
  return {};
}

}  // namespace gpulab
