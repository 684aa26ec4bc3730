#include "device/launch_limits.hpp"

namespace gpulab::device {
namespace {

bool exceeds(const Extent& extent, const Extent& most) {
  return extent.x > most.x || extent.y > most.y || extent.z > most.z;
}

}  // namespace

std::string broken_launch_limit(const LaunchConfig& config, std::size_t static_shared_bytes,
                                std::size_t max_shared_bytes) {
  const auto has_none = [](const Extent& extent) { return extent.x == 0 || extent.y == 0 || extent.z == 0; };
  if (has_none(config.block)) return "a block needs at least one thread";
  if (has_none(config.grid)) return "a grid needs at least one block";
  if (config.block.volume() > max_threads_per_block)
    return "a block has at most 1024 threads, not " + text_of(config.block);
  if (exceeds(config.block, max_block))
    return "a block has at most " + text_of(max_block) + " threads in x, y and z, not " +
           text_of(config.block);
  if (exceeds(config.grid, max_grid))
    return "a grid has at most " + text_of(max_grid) + " blocks in x, y and z, not " + text_of(config.grid);
  if (static_shared_bytes + config.dynamic_shared_bytes > max_shared_bytes)
    return "a block has at most " + std::to_string(max_shared_bytes) + " bytes of shared memory, not " +
           std::to_string(static_shared_bytes) + " static and " +
           std::to_string(config.dynamic_shared_bytes) + " dynamic";
  return {};
}

std::string too_much_static_shared(const std::string& file, const std::string& kernel, std::size_t bytes) {
  return file + ": " + kernel + " has " + std::to_string(bytes) +
         " bytes of static shared memory, and a block has at most " + std::to_string(max_static_shared_bytes);
}

std::string too_much_constant(const std::string& file, std::size_t bytes) {
  return file + " has " + std::to_string(bytes) + " bytes of constant memory, a module has at most " +
         std::to_string(max_constant_bytes);
}

}  // namespace gpulab::device
