#include "validate/work_items.hpp"

namespace gpulab {
namespace {

bool has_one_dimension(const Extent& extent) {
  return extent.y == 1 && extent.z == 1;
}

bool tells_owners(const WorkItems& items) {
  return items.ownership != Ownership::unknown && has_one_dimension(items.launch.grid) &&
         has_one_dimension(items.launch.block);
}

}  // namespace

std::string text_of(const ThreadPlace& place) {
  return "block " + std::to_string(place.block) + " thread " + std::to_string(place.thread);
}

std::size_t launched_threads(const WorkItems& items) {
  return items.launch.grid.volume() * items.launch.block.volume();
}

bool one_item_each(const WorkItems& items, std::size_t count) {
  if (!tells_owners(items)) return false;
  return items.ownership == Ownership::one_item || count <= launched_threads(items);
}

std::optional<ThreadPlace> owner_of(const WorkItems& items, std::size_t element) {
  const std::size_t threads = launched_threads(items);
  if (!tells_owners(items) || threads == 0) return std::nullopt;
  const auto item = items.item_of ? items.item_of(element) : element;
  if (!item || (items.ownership == Ownership::one_item && *item >= threads)) return std::nullopt;
  const std::size_t thread = *item % threads;
  const std::size_t block_size = items.launch.block.volume();
  return ThreadPlace{.block = thread / block_size, .thread = thread % block_size};
}

std::string owner_in_brackets(const WorkItems& items, std::size_t element) {
  const auto owner = owner_of(items, element);
  return owner ? " (" + text_of(*owner) + ")" : "";
}

std::string text_of(const LaunchConfig& launch) {
  return text_of(launch.grid) + (launch.grid.volume() == 1 ? " block of " : " blocks of ") +
         text_of(launch.block) + (launch.block.volume() == 1 ? " thread" : " threads");
}

}  // namespace gpulab
