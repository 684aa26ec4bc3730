#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/schedule/launch.hpp"
#include "simulator/watch/defect_log.hpp"
#include "simulator/watch/launch_watch.hpp"
#include "simulator/watch/stream_races.hpp"

namespace gpulab::simulator::watch {

// The allocations of the devices, and which of their bytes the host has written, for checked kernels. The
// shadow memory is made when a checked launch asks for it.
class GlobalShadows {
 public:
  void add(const AddressRange& allocation, int device) {
    allocations_[allocation.begin] = {
        .range = allocation, .allowed = allocation, .device = device, .marks = {}, .shadow = {}};
  }
  std::optional<AddressRange> remove(std::uintptr_t begin) {
    const auto freed = allocations_.extract(begin);
    return freed ? std::optional(freed.mapped().range) : std::nullopt;
  }

  void mark_written(const AddressRange& bytes) { mark(bytes, true); }
  void mark_uninitialised(const AddressRange& bytes) { mark(bytes, false); }
  // Copies the state of the source's words, written or not, to the target of a copy.
  void mark_copied(const AddressRange& target, std::uintptr_t source);
  // Marks bytes, which must lie at one end of an allocation, as a guard zone that kernels may not access.
  void mark_guard(const AddressRange& bytes);
  // Marks all memory as written, after an unchecked kernel, which may have written anything.
  void mark_all_written();

  // Returns all allocations, each with its shadow memory.
  std::vector<WatchedRegion> regions();
  std::optional<WatchedRegion> region_at(std::uintptr_t address);

 private:
  struct Mark {
    AddressRange bytes;
    bool is_written = false;
  };
  struct Allocation {
    AddressRange range;
    AddressRange allowed;  // without guard zones
    int device = 0;
    std::vector<Mark> marks;  // in order, until there is a shadow
    std::unique_ptr<MemoryShadow> shadow;
  };

  Allocation* allocation_at(std::uintptr_t address);
  static WatchedRegion region_of(Allocation& allocation);
  void mark(const AddressRange& bytes, bool is_written);

  std::map<std::uintptr_t, Allocation> allocations_;
};

// Regions for the __device__ and __constant__ variables of a module during one launch. All count as written:
// without an initialiser they are zero.
class VariableShadows {
 public:
  explicit VariableShadows(const std::vector<schedule::ModuleVariable>& variables);
  const std::vector<WatchedRegion>& regions() const { return regions_; }

 private:
  std::vector<std::unique_ptr<MemoryShadow>> shadows_;
  std::vector<WatchedRegion> regions_;
};

// Runs checked launches: keeps the shadow memory, compares concurrent stream operations, and collects the
// defects.
class CheckedLaunches {
 public:
  explicit CheckedLaunches(std::shared_ptr<StreamOrder> order) : stream_races_(std::move(order)) {}

  // The shadow memory of the devices' allocations.
  GlobalShadows& memory() { return memory_; }
  void free(std::uintptr_t begin) {
    if (const auto freed = memory_.remove(begin)) stream_races_.forget(*freed);
  }

  // Limits the accesses of each launch from now on; 0 is no limit.
  void set_max_accesses(std::size_t accesses) { max_accesses_ = accesses; }
  // Sets whether launches look for races in only a sample of their blocks, once they have made many accesses.
  void set_sampling(bool is_on) { is_sampling_ = is_on; }
  // Blocks in which races were looked for, and all blocks, of the launches that were sampled.
  struct Sampled {
    std::size_t recorded = 0, blocks = 0;
  };
  const Sampled& sampled() const { return sampled_; }
  // Returns the accesses of the last launch.
  std::size_t accesses() const { return watch_ ? watch_->accesses() : 0; }

  // Copies all that kernels can write to, before a launch that may have to be repeated. Returns false if
  // there is too little memory.
  bool save(const std::vector<schedule::ModuleVariable>& variables);
  void restore();

  // Returns a token that a checked launch holds while it waits in its stream. While any token is held, the
  // streams' other operations are recorded, to be compared with the launch.
  std::shared_ptr<const int> watch_token() const { return stream_races_.watch_token(); }
  // Returns whether on_work() is to be called before a copy, a set or a collective runs.
  bool watches_work() const { return stream_races_.is_watching(); }
  void on_work(const StreamOp& op, std::string name, std::vector<MemoryUse> uses) {
    stream_races_.on_work(op, std::move(name), std::move(uses), defects_);
  }
  // Checks an access by the host's own code.
  HostView on_host(HostAccess access);
  bool has_defects() const { return !defects_.empty(); }
  // Returns the bytes of the constant variable at `begin` up to the last one that the last launch has read.
  std::size_t bytes_read_of_constant(std::uintptr_t begin) const {
    if (!watch_ || !watch_->constants().contains(begin)) return 0;
    return watch_->constants().at(begin) - begin;
  }

  // Returns whether the last checked launch accessed any of the bytes, or may have in an unrecorded block.
  bool was_touched(const AddressRange& bytes);
  // Returns whether all the bytes have been written; true if nothing is known about them.
  bool was_written(const AddressRange& bytes);
  // The elements of which no byte has been written: their count, and the numbers of the first and the last.
  struct UnwrittenElements {
    std::size_t count = 0, first = 0, last = 0;
  };
  UnwrittenElements unwritten_elements(const AddressRange& bytes, std::size_t element_bytes);
  // Returns whether kernels have written the bytes, and none has read the values written last.
  bool is_only_written(const AddressRange& bytes);
  // Returns the published stores of the last launch; null if there was none.
  const PublishedStores* published_stores() const { return watch_ ? &watch_->published_stores : nullptr; }
  // Returns an atomic of the last launch that adds the undefined result of that call; 0 if none does.
  std::uintptr_t use_of_undefined(std::size_t call) const {
    return watch_ ? watch_->undefined_operands[call] : 0;
  }
  // Return the store that was the last to that byte in the last launch, an address in the code, and its line;
  // 0 if none is known.
  std::uintptr_t store_to(std::uintptr_t address);
  int line_of_store(std::uintptr_t address);

  // Prepares to check a launch, before the workers run it. The variables are those of its module.
  void start(schedule::SimulatedLaunch& launch, const std::vector<schedule::ModuleVariable>& variables,
             const StreamOp& op, const std::string& name);
  // Returns whether no defect that was found is worse than a note.
  bool are_harmless(const std::vector<FoundDefect>& found);
  // Ends the launch. Returns the explanation of the defect that ended it, or "".
  std::string finish(const schedule::SimulatedLaunch& launch, const std::vector<FoundDefect>& found);

  std::vector<Defect> take_defects() { return std::exchange(defects_, {}); }
  // Takes the races of volatile loads with volatile stores, which do no harm if the word is a flag.
  std::vector<Defect> take_volatile_races() { return std::exchange(volatile_races_, {}); }

 private:
  GlobalShadows memory_;
  StreamRaces stream_races_;
  std::unique_ptr<LaunchWatch> watch_;  // null before the first launch
  std::optional<VariableShadows> variables_;
  std::vector<Defect> defects_, volatile_races_;
  std::size_t recorded_accesses_of(const std::string& kernel);

  // A range of memory and its saved copy. The copy's memory is kept for the next launch: allocating it again
  // would cost more than copying.
  struct SavedRange {
    AddressRange range;
    ReservedArray<std::byte> copy;
    std::size_t capacity = 0;
  };
  std::vector<SavedRange> saved_;

  std::size_t max_accesses_ = 0;
  bool is_sampling_ = false;
  std::map<std::string, unsigned> launches_;  // by kernel
  Sampled sampled_;
};

}  // namespace gpulab::simulator::watch
