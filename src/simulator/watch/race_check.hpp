#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "simulator/watch/block_order.hpp"
#include "simulator/watch/launch_watch.hpp"

namespace gpulab::simulator::watch {

// How the simulator finds data races.
//
// Two accesses race if they come from different threads and touch the same byte, at least one of them writes,
// they are not both atomic, and neither happens before the other. Program order, barriers, warp operations,
// and atomics with fences make up happens-before. Volatile accesses to global memory count as atomic. The
// result depends little on the order in which the simulator runs the threads.
//
// The method is FastTrack (Flanagan and Freund, PLDI 2009), on vector clocks (Fidge 1988, Mattern 1988):
//   segment           the clock: one warp's work between two synchronisations, numbered in ascending order
//   epoch             a segment and a lane: the thread of an access, and its time
//   vector clock      for one thread, by lane: segments below this number happen before its next access
//   shadow cell       64 bits for each word of memory: the last access, as epoch, kind, instruction and bytes
//   access history    per byte, the last write and the atomics and reads since; used if a cell is too small
//   release, acquire  an atomic after a fence releases what happened before; a later atomic learns of it
//
// It differs from FastTrack in these points:
// - A vector clock for each of a GPU's threads would be too large. One number covers a block after a barrier,
//   and a warp after an operation of all its lanes. Only operations of some lanes need a clock by lane.
// - Only releases and acquires (ReleaseLog) and barriers of the grid (GridBarriers) order blocks.
// - Concurrent reads do not grow into a vector clock. A record keeps the first reader, one more of its
//   block, and whether another block has read.
// - Where a table is full, accesses count as ordered, so a race can be missed, but none is reported wrongly.
// - There are no lock sets. A lock orders accesses by its atomics and fences, like any other variable.

// Finds the races of the block that a worker runs, within it and with blocks of other workers. StreamRaces
// applies the same idea to stream operations.
class RaceCheck {
 public:
  RaceCheck(LaunchWatch& watch, BlockOrder& order) : watch_(watch), order_(order) {}

  // A past access that races with the running thread's.
  struct Conflict {
    AccessRecord past;
    bool has_thread = false;  // false: it is by another block, whose epoch was not kept
    std::uint32_t block = 0;
    unsigned thread = 0;
    bool is_volatile = false;  // both are volatile: no harm if the word is a flag, which others poll
  };

  // Up to one conflict with each part of an access history: write, atomics, reads, volatile reads.
  class Conflicts {
   public:
    void add(const std::optional<Conflict>& conflict, bool is_volatile = false) {
      if (!conflict) return;
      all_[count_] = *conflict;
      all_[count_++].is_volatile = is_volatile;
    }
    const Conflict* begin() const { return all_.data(); }
    const Conflict* end() const { return all_.data() + count_; }
    bool empty() const { return count_ == 0; }

   private:
    std::array<Conflict, 4> all_{};
    std::size_t count_ = 0;
  };

  // Records an access in the word's shadow cell. Returns false where the cell alone does not decide: then
  // call record_in_history(). Most accesses need no more than this.
  bool try_record_fast(std::uint64_t& cell_of_word, bool is_shared, const AccessRecord& mine,
                       unsigned thread) const;
  // Records an access in the word's access history, and returns its races. A volatile load of global memory
  // races with plain and with volatile stores.
  Conflicts record_in_history(MemoryShadow& shadow, bool is_shared, std::size_t word,
                              const AccessRecord& mine, unsigned thread, bool is_volatile_load);
  // Returns the races of an atomic load: only plain writes race with it. The load is not recorded, so a race
  // with a plain write that runs after it is found only in another order of the threads.
  Conflicts find_conflicts_with_writes(const MemoryShadow& shadow, bool is_shared, std::size_t word,
                                       unsigned bytes, unsigned thread);
  // Returns another thread's unordered atomic or volatile store of the word, which the running thread's
  // volatile store overwrites. The other update is lost if the running thread has loaded the word before it.
  std::optional<Conflict> find_lost_update(const MemoryShadow& shadow, std::size_t word, unsigned bytes,
                                           unsigned thread);

 private:
  using Cell = std::atomic_ref<std::uint64_t>;

  // Replaces the cell; returns false if another worker has changed it. A plain store is enough for shared
  // memory, which has one worker, and for a launch in order.
  bool replace(Cell& cell, const AccessRecord& old, const AccessRecord& updated, bool is_shared) const {
    std::uint64_t expected = old.bits();
    if (!is_shared && !watch_.is_in_order())
      return cell.compare_exchange_strong(expected, updated.bits(), std::memory_order_acq_rel);
    cell.store(updated.bits(), std::memory_order_relaxed);
    return true;
  }

  // Returns the first segment to look at. Records in lower ones happen before the block's next accesses.
  std::uint32_t first_segment(bool is_shared) const {
    return is_shared ? order_.first_since_barrier() : watch_.first_segment();
  }
  WordHistory history_at(const MemoryShadow& shadow, std::size_t word, std::uint32_t first) const;
  Conflicts add_to_history(ByteHistory& byte, const AccessRecord& mine, unsigned thread,
                           std::uintptr_t address, bool is_volatile_load) const;
  AccessRecord joined(AccessRecord past, const AccessRecord& mine, unsigned thread) const;
  // Returns true where joined() certainly returns `past` unchanged.
  bool includes(const AccessRecord& past, const AccessRecord& mine) const {
    if (past.segment() == mine.segment()) return past.lane() == mine.lane() || past.has_other_thread();
    return past.has_other_block() && past.segment() < order_.first_of_block();
  }
  std::optional<Conflict> conflict_with(const AccessRecord& past, unsigned thread) const;
  bool are_atomic_together(const AccessRecord& past, const AccessRecord& mine) const;
  bool is_before_grid_barrier(const AccessRecord& past) const {
    return watch_.grid_barriers.happens_before(order_.segment(past.segment()).block, past.segment());
  }
  bool other_thread_is_before(const AccessRecord& past, unsigned thread) const;

  LaunchWatch& watch_;
  BlockOrder& order_;
};

[[gnu::always_inline]] inline bool RaceCheck::try_record_fast(std::uint64_t& cell_of_word, bool is_shared,
                                                              const AccessRecord& mine,
                                                              unsigned thread) const {
  Cell cell(cell_of_word);
  for (;;) {
    const AccessRecord old(cell.load(std::memory_order_acquire));
    AccessRecord updated = mine;
    if (old.segment() >= first_segment(is_shared)) {
      if (old.kind() == AccessRecord::history) return false;
      if (old.bytes() != mine.bytes() || old.is_of_lanes()) {
        updated = old.with_lane(mine);
        if (updated.segment() == 0) return false;
        if (replace(cell, old, updated, is_shared)) return true;
        continue;
      }
      const bool is_mine = old.is_of_same_thread_and_segment(mine) && !old.has_others();
      const bool are_stores = old.kind() == AccessRecord::store && mine.kind() == AccessRecord::store;
      const bool is_load_then_store = old.kind() == AccessRecord::load && mine.kind() == AccessRecord::store;
      if (is_mine && old.kind() == mine.kind() && (!are_stores || old.site() == mine.site())) return true;
      // Whatever races with the load races with the thread's own store, too.
      if (is_mine && old.kind() == AccessRecord::store && mine.kind() == AccessRecord::load) return true;
      if (mine.has_block_scope() || old.has_block_scope()) return false;
      if (old.kind() == mine.kind() && mine.kind() != AccessRecord::store) {
        if (includes(old, mine)) return true;
        updated = joined(old, mine, thread);
        if (updated == old) return true;
      } else if (!is_mine || !(are_stores || is_load_then_store)) {
        return false;
      }
    }
    if (replace(cell, old, updated, is_shared)) return true;
  }
}

}  // namespace gpulab::simulator::watch
