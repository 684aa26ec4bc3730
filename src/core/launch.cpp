#include "core/launch.hpp"

#include <algorithm>

namespace gpulab {
namespace {

unsigned blocks_for_every_element(const LaunchRequest& request) {
  return static_cast<unsigned>((request.size + request.block_size - 1) / request.block_size);
}

}  // namespace

LaunchConfig one_thread_per_element(const LaunchRequest& request) {
  return {.grid = {blocks_for_every_element(request)}, .block = {request.block_size}};
}

LaunchConfig resident_blocks(const LaunchRequest& request) {
  const unsigned blocks = std::min(blocks_for_every_element(request), request.resident_blocks);
  return {.grid = {std::max(blocks, 1u)}, .block = {request.block_size}};
}

LaunchShape fixed_blocks(unsigned blocks) {
  return [blocks](const LaunchRequest& request) {
    return LaunchConfig{.grid = {blocks}, .block = {request.block_size}};
  };
}

LaunchConfig one_block_of_size_threads(const LaunchRequest& request) {
  return {.grid = {1}, .block = {static_cast<unsigned>(request.size)}};
}

}  // namespace gpulab
