#include "validate/work_items.hpp"

namespace gpulab::validate {
namespace {

bool has_one_dimension(const Extent& extent) {
  return extent.y == 1 && extent.z == 1;
}

// Whether items, blocks and threads all stand in one row.
bool stand_in_a_row(const WorkItems& items) {
  return has_one_dimension(items.launch.grid) && has_one_dimension(items.launch.block) &&
         has_one_dimension(items.work);
}

bool tells_owners(const WorkItems& items) {
  if (items.launch.grid.volume() * items.launch.block.volume() == 0) return false;
  // Items that stand in a row have no place in a launch that does not, and striding is known in a row only.
  if (items.ownership == Ownership::one_item) return stand_in_a_row(items) || !has_one_dimension(items.work);
  return items.ownership == Ownership::strides && stand_in_a_row(items);
}

Index place_of_item(const WorkItems& items, std::size_t item) {
  if (stand_in_a_row(items)) return {item};
  const Extent& work = items.work;
  return {item % work.x, item / work.x % work.y, item / work.x / work.y};
}

std::string text_of(const Index& index, bool in_a_row) {
  if (in_a_row) return std::to_string(index.x);
  const std::string z = index.z > 0 ? ", " + std::to_string(index.z) : "";
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + z + ")";
}

}  // namespace

std::string text_of(const ThreadPlace& place) {
  const auto [block, thread] = place;
  const bool in_a_row = block.y + block.z + thread.y + thread.z == 0;
  return "block " + text_of(block, in_a_row) + " thread " + text_of(thread, in_a_row);
}

std::size_t launched_threads(const WorkItems& items) {
  return items.launch.grid.volume() * items.launch.block.volume();
}

bool one_item_each(const WorkItems& items, std::size_t count) {
  if (!tells_owners(items) || !stand_in_a_row(items)) return false;
  return items.ownership == Ownership::one_item || count <= launched_threads(items);
}

std::optional<ThreadPlace> owner_of(const WorkItems& items, std::size_t element) {
  if (!tells_owners(items)) return std::nullopt;
  const auto item = items.item_of ? items.item_of(element) : element;
  if (!item) return std::nullopt;
  const Extent &grid = items.launch.grid, &block = items.launch.block;
  const bool strides = items.ownership == Ownership::strides;
  const auto [x, y, z] = place_of_item(items, strides ? *item % launched_threads(items) : *item);
  const ThreadPlace place{{x / block.x, y / block.y, z / block.z}, {x % block.x, y % block.y, z % block.z}};
  const bool exists = place.block.x < grid.x && place.block.y < grid.y && place.block.z < grid.z;
  return exists ? std::optional(place) : std::nullopt;
}

std::string owner_in_brackets(const WorkItems& items, std::size_t element) {
  const auto owner = owner_of(items, element);
  return owner ? " (" + text_of(*owner) + ")" : "";
}

std::string text_of(const LaunchConfig& launch) {
  return text_of(launch.grid) + (launch.grid.volume() == 1 ? " block of " : " blocks of ") +
         text_of(launch.block) + (launch.block.volume() == 1 ? " thread" : " threads");
}

}  // namespace gpulab::validate
