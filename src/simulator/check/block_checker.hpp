#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/check/block_order.hpp"
#include "simulator/check/defect_log.hpp"
#include "simulator/check/launch_watch.hpp"
#include "simulator/check/race_check.hpp"

namespace gpulab::simulator::check {

// Watches the accesses of the blocks that one worker runs, and writes down what is wrong with them.
//
// Kernels call it on their own small stacks, so it allocates nothing while a block runs.
class BlockChecker {
 public:
  explicit BlockChecker(LaunchWatch& watch)
      : watch_(watch), order_(watch.segments, watch.releases), races_(watch, order_) {}

  // A variable in shared memory, or all of the dynamic part.
  struct SharedVariable {
    count::AddressRange range;
    const char* name = "";
  };

  // The worker's shared memory, the parts of it that the launch's kernel may use, and where the worker has
  // threadIdx and its like.
  void start_launch(const count::AddressRange& shared, std::vector<SharedVariable> variables,
                    const count::AddressRange& index_variables);
  void start_block(std::uint32_t block, unsigned threads);

  // Whether the block can do that access. If it must stop, that is a defect; too_much is said of a launch
  // with more instructions, or more warps, than can be told apart; too_many with more accesses than there may
  // be.
  enum class Verdict { go_on, stop, too_much, too_many };
  // To be called before the access is done, on the thread's own stack.
  Verdict at_access(unsigned thread, const count::MemoryAccess& access);

  void at_barrier(unsigned live_threads, int line) {
    settle();
    order_.at_barrier(live_threads);
    barrier_line_ = line;
  }
  void at_warp_operation(unsigned warp, std::uint32_t lanes, bool all) {
    settle();
    order_.at_warp_operation(warp, lanes, all);
  }
  void at_fence(unsigned thread) {
    settle();
    order_.at_fence(thread);
  }
  // Judges the last accesses by what they did: before another thread goes on, and at the end of a thread.
  void settle() {
    settle_atomic();
    settle_store();
  }
  // GCC announces the store of a copied structure before its load. Until it is done, no other thread may go
  // on.
  bool waits_for_store() const { return has_race_of_stores_; }

  // Says of a thread that was stopped for too many accesses how many they were.
  FoundDefect too_many_accesses(unsigned thread, const count::MemoryAccess& access) const;

  void add(const FoundDefect& defect) { log_.add(defect); }
  FoundDefect::Party party(unsigned thread, int line) const;
  std::vector<FoundDefect> take_defects() { return log_.take(); }

 private:
  // The region is null for shared memory.
  Verdict at_words(unsigned thread, const count::MemoryAccess& access, MemoryShadow& shadow,
                   const WatchedRegion* region, std::size_t site);
  Verdict at_stranger(unsigned thread, const count::MemoryAccess& access);
  bool is_own_stack(const count::MemoryAccess& access) const;
  const WatchedRegion* nearest_region(std::uintptr_t address) const;
  const WatchedRegion* region_at(std::size_t site, std::uintptr_t address);

  FoundDefect found(DefectKind kind, unsigned thread, const count::MemoryAccess& access,
                    const WatchedRegion* region) const;
  void name_shared_variable(FoundDefect& defect) const;
  void add_race(const RaceCheck::Conflict& conflict, unsigned thread, const count::MemoryAccess& access,
                const WatchedRegion* region);
  Verdict stop_with(FoundDefect defect);
  void settle_atomic() {
    if (std::exchange(has_atomic_, false)) order_.after_atomic(atomic_thread_, atomic_address_);
  }
  void settle_store() {
    if (has_race_of_stores_) judge_store();
  }
  void judge_store();

  LaunchWatch& watch_;
  BlockOrder order_;
  RaceCheck races_;
  DefectLog log_;
  MemoryShadow shared_;
  std::vector<SharedVariable> shared_variables_;
  count::AddressRange index_variables_;
  std::array<const WatchedRegion*, max_sites> regions_{};  // that each site came to last

  std::size_t uncounted_ = 0;                      // accesses that the watch does not know of yet
  std::array<std::uint32_t, 1024> accesses_of_{};  // by thread of this block
  int barrier_line_ = 0;                           // of the last barrier in this block
  // The last atomic: after it the thread knows what others had published by then.
  bool has_atomic_ = false;
  unsigned atomic_thread_ = 0;
  std::uintptr_t atomic_address_ = 0;
  // The last store, if it races with another: it may write the same value.
  bool has_race_of_stores_ = false;
  FoundDefect race_of_stores_;
  std::array<unsigned char, 16> bytes_before_{};
};

}  // namespace gpulab::simulator::check
