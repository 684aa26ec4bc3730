#include "program/runtime/allocations.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "program/runtime/runtime.hpp"

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

cudaError_t Runtime::allocate(Allocation wanted, void** memory, const char* call) {
  if (!memory) return fail(cudaErrorInvalidValue, call, wanted.site, "it was given no place for the address");
  *memory = nullptr;
  if (wanted.bytes == 0) return cudaSuccess;
  try {
    wanted.begin = machine_->allocate(wanted.bytes, wanted.device);
  } catch (const device::DeviceError& error) {
    return fail(cudaErrorMemoryAllocation, call, wanted.site, error.explanation());
  }
  if (wanted.kind != MemoryKind::device)
    machine_->checked().memory().mark_written({wanted.begin, wanted.bytes});
  wanted.call = call;
  allocations_.add(wanted);
  if (wanted.kind != MemoryKind::device) watch_host_accesses();
  if (wanted.kind == MemoryKind::device && open_ == 0)
    ::mprotect(reinterpret_cast<void*>(wanted.begin), wanted.bytes, PROT_NONE);
  *memory = reinterpret_cast<void*>(wanted.begin);
  return cudaSuccess;
}

// Its addresses are kept for a while, so that whoever still uses them is told apart.
void Runtime::free(const Allocation& allocation, Site site) {
  constexpr std::size_t most_kept = 256;
  const Allocation gone = allocation;
  look_at_result(gone);
  allocations_.mark_freed(gone.begin, site);
  if (!is_watching()) return machine_->free(gone.begin);
  machine_->checked().memory().mark_guard({gone.begin, gone.bytes});
  ::mprotect(reinterpret_cast<void*>(gone.begin), gone.bytes, PROT_READ | PROT_WRITE);
  ::madvise(reinterpret_cast<void*>(gone.begin), gone.bytes, MADV_DONTNEED);
  ::mprotect(reinterpret_cast<void*>(gone.begin), gone.bytes, PROT_NONE);
  freed_.push_back(gone);
  if (freed_.size() <= most_kept) return;
  machine_->free(freed_.front().begin);
  freed_.pop_front();
}

void Runtime::has_chunks(const Allocation& allocation) {
  allocations_.mark_chunks(allocation.begin);
  std::erase_if(findings_, [&](const ProgramFinding& finding) {
    return finding.premise == ProgramFinding::Premise::counts_no_bytes &&
           finding.others.front().place == place_of(allocation.site);
  });
}

}  // namespace gpulab::program::runtime
