#include "program/runtime/allocations.hpp"

#include "core/text.hpp"

namespace gpulab::program::runtime {

std::string Allocation::name() const {
  return "the " + grouped(bytes) + " bytes that " + call + " gave in " + text_of(place_of(site));
}

const char* Allocation::freed_by() const {
  if (is_array) return "cudaFreeArray";
  if (kind == MemoryKind::pinned) return "cudaFreeHost";
  return kind == MemoryKind::registered ? "cudaHostUnregister" : "cudaFree";
}

// What had these addresses before is forgotten.
void Allocations::add(const Allocation& allocation) {
  for (auto next = all_.lower_bound(allocation.begin);
       next != all_.end() && next->first < allocation.begin + allocation.bytes;)
    next = all_.erase(next);
  all_[allocation.begin] = allocation;
}

const Allocation* Allocations::at(std::uintptr_t address) const {
  const auto after = all_.upper_bound(address);
  if (after == all_.begin()) return nullptr;
  const Allocation& found = std::prev(after)->second;
  return found.contains(address) || found.begin == address ? &found : nullptr;
}

const Allocation* Allocations::near(std::uintptr_t address) const {
  constexpr std::uintptr_t far = std::uintptr_t{64} << 20;
  const auto after = all_.upper_bound(address);
  if (after != all_.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (address - before.begin < before.bytes + far) return &before;
  }
  return after != all_.end() && after->first - address < far ? &after->second : nullptr;
}

void Allocations::mark_freed(std::uintptr_t begin, Site site) {
  const auto found = all_.find(begin);
  if (found == all_.end()) return;
  found->second.is_freed = true;
  found->second.freed = site;
}

}  // namespace gpulab::program::runtime
