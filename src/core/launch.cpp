#include "core/launch.hpp"

#include <algorithm>

namespace gpulab {
namespace {

unsigned blocks_for_every_element(const LaunchRequest& request) {
  return static_cast<unsigned>((request.size + request.block_size - 1) / request.block_size);
}

LaunchConfig in_one_dimension(unsigned blocks, unsigned threads) {
  return {.grid = {blocks}, .block = {threads}};
}

}  // namespace

std::string text_of(const Extent& extent) {
  std::string text = std::to_string(extent.x);
  if (extent.y == 1 && extent.z == 1) return text;
  text += ", " + std::to_string(extent.y);
  if (extent.z != 1) text += ", " + std::to_string(extent.z);
  return "(" + text + ")";
}

ChosenLaunch one_thread_per_element(const LaunchRequest& request) {
  return {in_one_dimension(blocks_for_every_element(request), request.block_size), Ownership::one_item};
}

ChosenLaunch resident_blocks(const LaunchRequest& request) {
  const unsigned blocks = std::min(blocks_for_every_element(request), request.resident_blocks);
  return {in_one_dimension(std::max(blocks, 1u), request.block_size), Ownership::strides};
}

LaunchShape fixed_blocks(unsigned blocks) {
  return [blocks](const LaunchRequest& request) {
    return ChosenLaunch(in_one_dimension(blocks, request.block_size), Ownership::one_item);
  };
}

ChosenLaunch one_block_of_size_threads(const LaunchRequest& request) {
  return {in_one_dimension(1, static_cast<unsigned>(request.size)), Ownership::one_item};
}

}  // namespace gpulab
