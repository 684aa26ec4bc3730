#pragma once

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

  // Of the device with that index. Throws DeviceError.
  watch::AddressRange allocate(std::size_t bytes, int device);
  void free(device::DevicePointer pointer) noexcept;

  const std::vector<watch::OwnedMemory>& allocations() const { return allocations_; }  // ascending
  // Whose memory it is; none of the host's, and of variables of modules.
  std::optional<int> owner_of(device::DevicePointer address) const;

 private:
  std::vector<watch::OwnedMemory> allocations_;
};

// While it lives, that memory cannot be accessed at all.
class ClosedMemory {
 public:
  explicit ClosedMemory(std::vector<watch::OwnedMemory> memory);
  ~ClosedMemory();
  ClosedMemory(const ClosedMemory&) = delete;
  ClosedMemory& operator=(const ClosedMemory&) = delete;

 private:
  std::vector<watch::OwnedMemory> memory_;
};

// Where malloc() and new in kernels find memory: as much as a GPU has for it unless it is told otherwise. It
// lives as long as the device. What is freed is given again only when there is nothing else, so that its use
// shows.
class DeviceHeap {
 public:
  DeviceHeap();
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  struct Block {
    watch::AddressRange range;
    bool is_freed = false;
  };

  // All of it, given or not.
  const watch::AddressRange& range() const { return range_; }
  // 0 when there is not so much left.
  std::uintptr_t allocate(std::size_t bytes);
  // The block that was freed; none if there is no block at that address, or it is free already.
  std::optional<Block> free(std::uintptr_t address);
  // The block that the address is in, or else the last before it, or the first.
  std::optional<Block> block_near(std::uintptr_t address) const;

 private:
  static constexpr std::size_t gap = 16, alignment = 16;  // between blocks, and of each

  mutable std::mutex mutex_;
  watch::AddressRange range_;
  std::size_t used_ = 0;    // from the start
  std::size_t living_ = 0;  // blocks
  std::map<std::uintptr_t, Block> blocks_;
};

}  // namespace gpulab::simulator
