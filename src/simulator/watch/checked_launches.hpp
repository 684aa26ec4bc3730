#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/schedule/launch.hpp"
#include "simulator/watch/defect_log.hpp"
#include "simulator/watch/launch_watch.hpp"
#include "simulator/watch/work_races.hpp"

namespace gpulab::simulator::watch {

// What the host has done with the device's memory, for kernels that are checked. It costs next to nothing
// until a launch asks for it.
class GlobalShadows {
 public:
  void add(const AddressRange& allocation, int device) {
    allocations_[allocation.begin] = {allocation, allocation, device, {}, {}};
  }
  std::optional<AddressRange> remove(std::uintptr_t begin) {
    const auto freed = allocations_.extract(begin);
    return freed ? std::optional(freed.mapped().range) : std::nullopt;
  }

  void mark_written(const AddressRange& bytes) { mark(bytes, true); }
  void mark_uninitialised(const AddressRange& bytes) { mark(bytes, false); }
  // At one of the two ends of an allocation.
  void mark_guard(const AddressRange& bytes);
  // After a kernel of which nobody knows what it wrote.
  void mark_all_written();

  // All allocations, each with its shadow.
  std::vector<WatchedRegion> regions();
  std::optional<WatchedRegion> region_at(std::uintptr_t address);

 private:
  struct Mark {
    AddressRange bytes;
    bool is_written = false;
  };
  struct Allocation {
    AddressRange range;
    AddressRange allowed;
    int device = 0;
    std::vector<Mark> marks;  // in the order they were made, until there is a shadow
    std::unique_ptr<MemoryShadow> shadow;
  };

  Allocation* allocation_at(std::uintptr_t address);
  static WatchedRegion region_of(Allocation& allocation);
  void mark(const AddressRange& bytes, bool is_written);

  std::map<std::uintptr_t, Allocation> allocations_;
};

// The __device__ and __constant__ variables of a module, as regions of one launch. All have been written:
// where the text has no value, CUDA has zero.
class VariableShadows {
 public:
  explicit VariableShadows(const std::vector<schedule::ModuleVariable>& variables);
  const std::vector<WatchedRegion>& regions() const { return regions_; }

 private:
  std::vector<std::unique_ptr<MemoryShadow>> shadows_;
  std::vector<WatchedRegion> regions_;
};

// Everything that a device does around the launches that it checks.
class CheckedLaunches {
 public:
  explicit CheckedLaunches(std::shared_ptr<WorkOrder> order) : work_(std::move(order)) {}

  // What the host does to the device's memory.
  GlobalShadows& memory() { return memory_; }
  void free(std::uintptr_t begin) {
    if (const auto freed = memory_.remove(begin)) work_.forget(*freed);
  }

  // Of each launch from now on; 0 for any number.
  void set_max_accesses(std::size_t accesses) { max_accesses_ = accesses; }

  // What kernels can write to, as it is before a launch that may have to be repeated: none if that takes more
  // memory than there is to spare. The variables are those of the launch's module.
  struct Saved {
    struct Piece {
      AddressRange range;
      ReservedArray<std::byte> bytes;
    };
    std::vector<Piece> pieces;
  };
  std::optional<Saved> saved(const std::vector<schedule::ModuleVariable>& variables);
  static void restore(const Saved& saved);

  // To be held by a launch while it waits in a queue.
  std::shared_ptr<const int> announcement() const { return work_.announcement(); }
  // Before a copy, a set or a collective is done, which is called by that name.
  bool watches_work() const { return work_.is_watching(); }
  void at_work(const Piece& piece, std::string name, std::vector<MemoryUse> uses) {
    work_.at_work(piece, std::move(name), std::move(uses), defects_);
  }
  // By the host's own code.
  HostView at_host(HostAccess access);
  bool has_defects() const { return !defects_.empty(); }

  // Whether the launch that was checked last accessed a byte there.
  bool was_touched(const AddressRange& bytes);
  // Whether all those bytes have been written, as far as anybody knows.
  bool was_written(const AddressRange& bytes);
  // Whether kernels have written there, and none has read what was written last.
  bool is_only_written(const AddressRange& bytes);

  // Before the workers run it; the variables are those of its module.
  void start(schedule::SimulatedLaunch& launch, const std::vector<schedule::ModuleVariable>& variables,
             const Piece& piece, const std::string& name);
  // Whether what was found in it is only worth a note, or nothing.
  bool are_harmless(const std::vector<FoundDefect>& found);
  // After it. What the defect that ended it was, if one did.
  std::string finish(const schedule::SimulatedLaunch& launch, const std::vector<FoundDefect>& found);

  std::vector<Defect> take_defects() { return std::exchange(defects_, {}); }

 private:
  GlobalShadows memory_;
  WorkRaces work_;
  std::unique_ptr<LaunchWatch> watch_;  // none before the first launch
  std::optional<VariableShadows> variables_;
  std::vector<Defect> defects_;
  std::size_t max_accesses_ = 0;
};

}  // namespace gpulab::simulator::watch
