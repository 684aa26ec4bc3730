#include "validate/work_items.hpp"

namespace gpulab {

std::string text_of(const ThreadPlace& place) {
  return "block " + std::to_string(place.block) + " thread " + std::to_string(place.thread);
}

std::optional<ThreadPlace> owner_of(const WorkItems& items, std::size_t element) {
  const std::size_t item = items.item_of ? items.item_of(element) : element;
  const std::size_t block_volume = items.launch.block.volume();
  if (block_volume == 0 || item / block_volume >= items.launch.grid.volume()) return std::nullopt;
  return ThreadPlace{.block = item / block_volume, .thread = item % block_volume};
}

std::string owner_in_brackets(const WorkItems& items, std::size_t element) {
  const auto owner = owner_of(items, element);
  return owner ? " (" + text_of(*owner) + ")" : "";
}

std::string text_of(const LaunchConfig& launch) {
  const std::size_t blocks = launch.grid.volume();
  const std::size_t threads = launch.block.volume();
  return std::to_string(blocks) + (blocks == 1 ? " block of " : " blocks of ") + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

}  // namespace gpulab
