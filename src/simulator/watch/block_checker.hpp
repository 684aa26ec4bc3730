#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/watch/block_order.hpp"
#include "simulator/watch/defect_log.hpp"
#include "simulator/watch/launch_watch.hpp"
#include "simulator/watch/race_check.hpp"

namespace gpulab::simulator::watch {

// Watches the accesses of the blocks that one worker runs, and writes down what is wrong with them.
//
// Kernels call it on their own small stacks, so it allocates nothing while a block runs.
class BlockChecker {
 public:
  // What is done to the memory of other devices is added to peers.
  BlockChecker(LaunchWatch& watch, PeerAccesses& peers)
      : watch_(watch), peers_(peers), order_(watch.segments, watch.releases), races_(watch, order_) {}

  // A variable in shared memory, or all of the dynamic part.
  struct SharedVariable {
    AddressRange range;
    const char* name = "";
    bool is_written = false;  // before the block begins
  };

  // The worker's shared memory, the parts of it that the launch's kernel may use, and where the worker has
  // threadIdx and its like.
  void start_launch(const AddressRange& shared, std::vector<SharedVariable> variables,
                    const AddressRange& index_variables);
  void start_block(std::uint32_t block, unsigned threads);

  // Whether the block can do that access. If it must stop, that is a defect; too_much is said of a launch
  // with more instructions, or more warps, than can be told apart; too_many with more accesses than there may
  // be.
  enum class Verdict { go_on, stop, too_much, too_many };
  // To be called before the access is done, on the thread's own stack.
  Verdict at_access(unsigned thread, const MemoryAccess& access);

  void at_barrier(unsigned live_threads, int line) {
    settle();
    order_.at_barrier(live_threads);
    barrier_line_ = line;
  }
  void at_warp_operation(unsigned warp, std::uint32_t lanes, bool all) {
    settle();
    order_.at_warp_operation(warp, lanes, all);
  }
  void at_fence(unsigned thread, Scope scope) {
    settle();
    order_.at_fence(thread, scope);
  }
  // A piece of the device's heap that malloc has given, or free has taken back.
  void at_heap(const AddressRange& bytes, bool is_given);
  // Judges the last accesses by what they did: before another thread goes on, and at the end of a thread.
  void settle() {
    settle_atomic();
    settle_store();
  }
  // GCC announces the store of a copied structure before its load. Until it is done, no other thread may go
  // on.
  bool waits_for_store() const { return has_race_of_stores_; }

  // Says of a thread that was stopped for too many accesses how many they were.
  FoundDefect too_many_accesses(unsigned thread, const MemoryAccess& access) const;
  // Of a thread that waits in vain for that word to change.
  FoundDefect endless_wait(unsigned thread, const MemoryAccess& access) const;

  // Stores and atomics so far: while they stay the same, nobody can have changed what others wait for.
  std::uint64_t changes() const { return changes_; }
  // The last atomic left its word as it was: it changed nothing, and is no access that counts.
  void take_back_change() {
    --changes_;
    if (uncounted_ > 0) --uncounted_;
  }
  // What stands for the accesses of the thread since it was last asked for.
  std::uint64_t take_trace(unsigned thread) { return std::exchange(done_[thread].trace, 0); }
  // Whether one thread has had the worker to itself for a long time: now and then others should go on.
  bool has_taken_long() { return has_taken_long_ && std::exchange(has_taken_long_, false); }

  void add(const FoundDefect& defect) { log_.add(defect); }
  FoundDefect::Party party(unsigned thread, int line) const;
  std::vector<FoundDefect> take_defects() { return log_.take(); }

 private:
  bool has_time_left(unsigned thread);
  // The region is null for shared memory. An access is special that is volatile, or has traits.
  template <bool is_special>
  Verdict at_words(unsigned thread, const MemoryAccess& access, MemoryShadow& shadow,
                   const WatchedRegion* region, std::size_t site);
  Verdict at_closed_peer(unsigned thread, const MemoryAccess& access, const WatchedRegion* region);
  Verdict at_constant(unsigned thread, const MemoryAccess& access, const WatchedRegion* region);
  struct AtWord {
    unsigned thread;
    const MemoryAccess& access;
    MemoryShadow& shadow;
    const WatchedRegion* region;
  };
  bool look_for_races(const AtWord& at, std::size_t word, const AccessRecord& record, bool is_strong_load,
                      bool is_wanted);
  void look_beside(const AtWord& at, std::size_t word, const AccessRecord& record, bool is_strong_load);
  Verdict at_stranger(unsigned thread, const MemoryAccess& access);
  bool is_own_stack(const MemoryAccess& access) const;
  const WatchedRegion* nearest_region(std::uintptr_t address) const;
  const WatchedRegion* region_at(std::size_t site, std::uintptr_t address);

  FoundDefect found(DefectKind kind, unsigned thread, const MemoryAccess& access,
                    const WatchedRegion* region) const;
  void add_found(DefectKind kind, unsigned thread, const MemoryAccess& access, const WatchedRegion* region);
  void name_shared_variable(FoundDefect& defect) const;
  FoundDefect race_with(const RaceCheck::Conflict& conflict, unsigned thread, const MemoryAccess& access,
                        const WatchedRegion* region) const;
  void judge_later(const FoundDefect& race);
  void add_race(const RaceCheck::Conflict& conflict, unsigned thread, const MemoryAccess& access,
                const WatchedRegion* region);
  Verdict stop_with(FoundDefect defect);
  void remember_read(unsigned thread, const MemoryAccess& access, std::size_t site);
  void look_for_read_before(unsigned thread, const MemoryAccess& swap);
  // Of volatile accesses to global memory: a load, and a store of what may have come of it.
  void remember_volatile_load(unsigned thread, std::uintptr_t address);
  void look_for_lost_update(const AtWord& at);
  void settle_atomic() {
    if (std::exchange(has_atomic_, false))
      order_.after_atomic(atomic_thread_, atomic_address_, atomic_scope_);
  }
  void settle_store() {
    if (has_race_of_stores_) judge_store();
  }
  void judge_store();

  LaunchWatch& watch_;
  PeerAccesses& peers_;
  BlockOrder order_;
  RaceCheck races_;
  DefectLog log_;
  MemoryShadow shared_;
  std::vector<SharedVariable> shared_variables_;
  AddressRange index_variables_;

  std::size_t uncounted_ = 0;      // accesses that the watch does not know of yet
  std::size_t uncounted_own_ = 0;  // the same, to a thread's own variables
  std::uint64_t changes_ = 0;
  unsigned slice_thread_ = 0, slices_ = 0;
  bool has_taken_long_ = false;
  int barrier_line_ = 0;  // of the last barrier in this block
  // The last atomic: after it the thread knows what others had published by then.
  bool has_atomic_ = false;
  bool has_race_of_stores_ = false;  // see race_of_stores_
  unsigned atomic_thread_ = 0;
  std::uintptr_t atomic_address_ = 0;
  Scope atomic_scope_ = Scope::device;
  // Plain reads, by a hash of thread and address, where the kernel compares and swaps.
  struct PlainRead {
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
    std::uint32_t thread = 0, block = 0;
    std::size_t site = 0;
  };
  static constexpr std::size_t remembered_reads = 4096;  // place_of() has 12 bits
  std::vector<PlainRead> reads_;
  // Volatile loads, by a hash of thread and address.
  struct VolatileLoad {
    std::uintptr_t address = 0;
    std::uint32_t thread = 0, segment = 0;
  };
  std::vector<VolatileLoad> volatile_loads_;
  // The last store, if it races with another: it may write the same value, which is worth a note, or nothing
  // if both are volatile.
  FoundDefect race_of_stores_;
  bool is_update_ = false;
  std::array<unsigned char, 16> bytes_before_{};

  // Large tables come last: what every access needs should lie close together.
  std::array<const WatchedRegion*, max_sites> regions_{};  // that each site came to last
  // What a thread has accessed in this block: how often, and what stands for where since it was last asked.
  struct Done {
    std::uint32_t accesses = 0, trace = 0;
  };
  std::array<Done, 1024> done_{};  // by thread
};

}  // namespace gpulab::simulator::watch
