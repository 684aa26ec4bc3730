#pragma once

#include <map>
#include <memory>
#include <vector>

#include "device/simulator/check/launch_watch.hpp"
#include "device/simulator/schedule/simulated_launch.hpp"

namespace gpulab {

// What the host has done with the device's memory, for kernels that are checked. It costs next to nothing
// until a launch asks for it.
class GlobalShadows {
 public:
  void add(const AddressRange& allocation) {
    allocations_[allocation.begin] = {allocation, allocation, {}, {}};
  }
  void remove(std::uintptr_t begin) { allocations_.erase(begin); }

  void mark_written(const AddressRange& bytes) { mark(bytes, true); }
  void mark_uninitialised(const AddressRange& bytes) { mark(bytes, false); }
  // At one of the two ends of an allocation.
  void mark_guard(const AddressRange& bytes);
  // After a kernel of which nobody knows what it wrote.
  void mark_all_written();

  // All allocations, each with its shadow.
  std::vector<WatchedRegion> regions();

 private:
  struct Mark {
    AddressRange bytes;
    bool is_written = false;
  };
  struct Allocation {
    AddressRange range;
    AddressRange allowed;
    std::vector<Mark> marks;  // in the order they were made, until there is a shadow
    std::unique_ptr<MemoryShadow> shadow;
  };

  Allocation* allocation_at(std::uintptr_t address);
  void mark(const AddressRange& bytes, bool is_written);

  std::map<std::uintptr_t, Allocation> allocations_;
};

// The __device__ and __constant__ variables of a module, as regions of one launch. All have been written:
// where the text has no value, CUDA has zero.
class VariableShadows {
 public:
  explicit VariableShadows(const std::vector<ModuleVariable>& variables);
  const std::vector<WatchedRegion>& regions() const { return regions_; }

 private:
  std::vector<std::unique_ptr<MemoryShadow>> shadows_;
  std::vector<WatchedRegion> regions_;
};

}  // namespace gpulab
