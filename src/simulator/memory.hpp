#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator {

// The global memory of all simulated devices: an address is valid for each of them.
class SimulatedMemory {
 public:
  SimulatedMemory() = default;
  ~SimulatedMemory();
  SimulatedMemory(const SimulatedMemory&) = delete;
  SimulatedMemory& operator=(const SimulatedMemory&) = delete;

  // Allocates on the device with that index. Throws DeviceError.
  watch::AddressRange allocate(std::size_t bytes, int device);
  void free(device::DevicePointer pointer) noexcept;

  const std::vector<watch::OwnedMemory>& allocations() const { return allocations_; }  // ascending
  // Returns the device that owns the memory; none for host memory and for variables of modules.
  std::optional<int> owner_of(device::DevicePointer address) const;

 private:
  std::vector<watch::OwnedMemory> allocations_;
};

// Makes memory inaccessible while it lives.
class ClosedMemory {
 public:
  explicit ClosedMemory(std::vector<watch::OwnedMemory> memory);
  ~ClosedMemory();
  ClosedMemory(const ClosedMemory&) = delete;
  ClosedMemory& operator=(const ClosedMemory&) = delete;

 private:
  std::vector<watch::OwnedMemory> memory_;
};

// The heap of malloc() and new in kernels, of a GPU's default size. It lives as long as the device. Freed
// blocks are reused only when nothing else is left, so that a use after free shows.
class DeviceHeap {
 public:
  DeviceHeap();
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  struct Block {
    watch::AddressRange range;
    bool is_freed = false;
    std::uintptr_t pc = 0;  // the return address of the call that allocated it
  };

  // The whole heap.
  const watch::AddressRange& range() const { return range_; }
  // Returns 0 when too little is left.
  std::uintptr_t allocate(std::size_t bytes, std::uintptr_t pc);
  // Returns whether an allocation has failed with every block in use.
  bool was_full() const { return was_full_; }
  // Frees all blocks. No kernel may have a pointer to one any more.
  void clear();
  // Returns the block that was freed; none if there is no block at that address, or it is free already.
  std::optional<Block> free(std::uintptr_t address);
  // Returns the block that contains the address, or else the last before it, or else the first.
  std::optional<Block> block_near(std::uintptr_t address) const;
  // Returns the bytes that are not freed, by the return address of the call that allocated them.
  std::map<std::uintptr_t, std::size_t> unfreed() const;

 private:
  static constexpr std::size_t gap = 16;  // between blocks
  static constexpr std::size_t alignment = 16;

  mutable std::mutex mutex_;
  watch::AddressRange range_;
  std::size_t used_ = 0;                // bytes from the start
  std::size_t live_blocks_ = 0;         // blocks not freed
  std::atomic<bool> was_full_ = false;  // workers read it
  std::map<std::uintptr_t, Block> blocks_;
};

}  // namespace gpulab::simulator
