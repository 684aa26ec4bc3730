#include "program/runtime/allocations.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace gpulab::program::runtime {

std::string Allocation::name() const {
  return "the " + grouped(bytes) + " bytes that " + call + " gave in " + text_of(place_of(site));
}

std::string Allocation::name_of(std::uintptr_t address) const {
  const bool has_elements = element_bytes > 1 && bytes % element_bytes == 0;
  const std::string what =
      name() + (has_elements ? " (" + grouped(bytes / element_bytes) + " elements)" : "");
  if (address < begin) return grouped(begin - address) + " bytes before " + what;
  const std::size_t offset = address - begin;
  if (offset < bytes)
    return has_elements && offset % element_bytes == 0
               ? "element " + grouped(offset / element_bytes) + " of " + what
               : "byte " + grouped(offset) + " of " + what;
  return (offset == bytes ? std::string("just") : grouped(offset - bytes) + " bytes") + " past the end of " +
         what;
}

void Allocations::add_write(const Allocation::Write& write) {
  constexpr std::size_t most = 16;
  const auto after = all_.upper_bound(write.begin);
  if (after == all_.begin() || !std::prev(after)->second.contains(write.begin)) return;
  std::vector<Allocation::Write>& writes = std::prev(after)->second.writes;
  if (writes.size() >= most) writes.erase(writes.begin());
  writes.push_back(write);
}

const Allocation::Write* Allocations::set_at(std::uintptr_t address) const {
  const Allocation* const memory = at(address);
  if (!memory) return nullptr;
  const auto last = std::ranges::find_if(
      memory->writes.rbegin(), memory->writes.rend(),
      [&](const Allocation::Write& write) { return write.begin <= address && address < write.end; });
  return last != memory->writes.rend() && last->odd_value ? &*last : nullptr;
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

void Allocations::mark_copied_from(std::uintptr_t address) {
  const auto after = all_.upper_bound(address);
  if (after != all_.begin()) std::prev(after)->second.is_copied_from = true;
}

void Allocations::mark_freed(std::uintptr_t begin, Site site) {
  const auto found = all_.find(begin);
  if (found == all_.end()) return;
  found->second.is_freed = true;
  found->second.freed = site;
}

}  // namespace gpulab::program::runtime
