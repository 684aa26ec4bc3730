#include "simulator/memory.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <iterator>

#include "device/host.hpp"

namespace gpulab::simulator {
namespace {

// Inaccessible bytes on both sides of every allocation, so that a wild index faults instead of reaching
// another array.
constexpr std::size_t no_mans_land = std::size_t{64} << 20;

device::DevicePointer begin_of(const watch::OwnedMemory& memory) {
  return memory.range.begin;
}

void unmap(device::DevicePointer pointer, std::size_t bytes) {
  ::munmap(reinterpret_cast<char*>(pointer) - no_mans_land, bytes + 2 * no_mans_land);
}

}  // namespace

SimulatedMemory::~SimulatedMemory() {
  for (const watch::OwnedMemory& memory : allocations_) unmap(memory.range.begin, memory.range.bytes);
}

watch::AddressRange SimulatedMemory::allocate(std::size_t bytes, int device) {
  if (const auto with_sign = static_cast<std::ptrdiff_t>(bytes); with_sign < 0)
    throw device::DeviceError(
        "cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY",
        std::to_string(with_sign) +
            " bytes were asked for: an int was negative, or a product of ints has overflowed, before it became a size_t");
  if (bytes > device::free_host_memory_bytes())
    throw device::DeviceError("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY",
                              std::to_string(bytes) + " bytes are more than this machine has free");
  void* reserved = ::mmap(nullptr, bytes + 2 * no_mans_land, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char* memory = static_cast<char*>(reserved) + no_mans_land;
  if (reserved == MAP_FAILED || ::mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0)
    throw device::DeviceError("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY",
                              std::to_string(bytes) + " bytes could not be reserved");
  const watch::AddressRange range{reinterpret_cast<device::DevicePointer>(memory), bytes};
  allocations_.insert(std::ranges::upper_bound(allocations_, range.begin, {}, begin_of),
                      {.range = range, .device = device});
  return range;
}

void SimulatedMemory::free(device::DevicePointer pointer) noexcept {
  const auto found = std::ranges::find(allocations_, pointer, begin_of);
  if (found == allocations_.end()) return;
  unmap(pointer, found->range.bytes);
  allocations_.erase(found);
}

std::optional<int> SimulatedMemory::owner_of(device::DevicePointer address) const {
  const auto after = std::ranges::upper_bound(allocations_, address, {}, begin_of);
  if (after == allocations_.begin() || !(after - 1)->range.contains(address)) return std::nullopt;
  return (after - 1)->device;
}

ClosedMemory::ClosedMemory(std::vector<watch::OwnedMemory> memory) : memory_(std::move(memory)) {
  for (const auto& [range, device, is_reachable] : memory_)
    ::mprotect(reinterpret_cast<void*>(range.begin), range.bytes, PROT_NONE);
}

ClosedMemory::~ClosedMemory() {
  for (const auto& [range, device, is_reachable] : memory_)
    ::mprotect(reinterpret_cast<void*>(range.begin), range.bytes, PROT_READ | PROT_WRITE);
}

// ---- The device heap --------------------------------------------------------------------------------------

DeviceHeap::DeviceHeap() {
  constexpr std::size_t bytes = std::size_t{8} << 20;  // the default of cudaLimitMallocHeapSize
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) range_ = {reinterpret_cast<std::uintptr_t>(memory), bytes};
}

DeviceHeap::~DeviceHeap() {
  if (range_.bytes > 0) ::munmap(reinterpret_cast<void*>(range_.begin), range_.bytes);
}

std::uintptr_t DeviceHeap::allocate(std::size_t bytes, std::uintptr_t pc) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > range_.bytes) return 0;
  const std::size_t block_bytes = (bytes + alignment - 1) / alignment * alignment + gap;
  // A block that was freed is not used again until the heap is full, so that accesses to it are noticed.
  if (used_ + block_bytes > range_.bytes) {
    if (live_blocks_ == blocks_.size() && live_blocks_ > 0) {
      was_full_ = true;
      return 0;
    }
    if (live_blocks_ == 0) {
      blocks_.clear();
      used_ = 0;
    }
    for (auto& [begin, block] : blocks_) {
      if (!block.is_freed || block.range.bytes < bytes) continue;
      block = {.range = {begin, bytes}, .pc = pc};
      ++live_blocks_;
      return begin;
    }
    if (used_ + block_bytes > range_.bytes) return 0;
  }
  const std::uintptr_t begin = range_.begin + used_;
  used_ += block_bytes;
  ++live_blocks_;
  blocks_[begin] = {.range = {begin, bytes}, .pc = pc};
  return begin;
}

void DeviceHeap::clear() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  used_ = live_blocks_ = 0;
  was_full_ = false;
}

std::optional<DeviceHeap::Block> DeviceHeap::free(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || found->second.is_freed) return std::nullopt;
  found->second.is_freed = true;
  --live_blocks_;
  return found->second;
}

std::map<std::uintptr_t, std::size_t> DeviceHeap::unfreed() const {
  const std::lock_guard lock(mutex_);
  std::map<std::uintptr_t, std::size_t> bytes;
  for (const auto& [begin, block] : blocks_)
    if (!block.is_freed) bytes[block.pc] += block.range.bytes;
  return bytes;
}

std::optional<DeviceHeap::Block> DeviceHeap::block_near(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  if (blocks_.empty()) return std::nullopt;
  const auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? after->second : std::prev(after)->second;
}

}  // namespace gpulab::simulator
