#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "simulator/watch/block_order.hpp"
#include "simulator/watch/launch_watch.hpp"

namespace gpulab::simulator::watch {

// Finds the races of the block that a worker runs, with itself and with blocks that other workers run.
class RaceCheck {
 public:
  RaceCheck(LaunchWatch& watch, BlockOrder& order) : watch_(watch), order_(order) {}

  // A past access that the running thread's is not ordered with.
  struct Conflict {
    AccessRecord past;
    bool has_place = false;  // else it is of another block, and was not kept
    std::uint32_t block = 0;
    unsigned thread = 0;
  };

  // With the last write, the atomics since, and the reads since.
  class Conflicts {
   public:
    void add(const std::optional<Conflict>& conflict) {
      if (conflict) all_[count_++] = *conflict;
    }
    const Conflict* begin() const { return all_.data(); }
    const Conflict* end() const { return all_.data() + count_; }
    bool empty() const { return count_ == 0; }

   private:
    std::array<Conflict, 3> all_{};
    std::size_t count_ = 0;
  };

  // Remembers an access of the thread to a word, in shared or in global memory. False when that takes more
  // than one look at one record, which is all that most accesses need: then with_history() has to be asked.
  bool is_simple(MemoryShadow& shadow, bool is_shared, std::size_t word, const AccessRecord& mine,
                 unsigned thread) const;
  // Remembers it, and says what it races with.
  Conflicts with_history(MemoryShadow& shadow, bool is_shared, std::size_t word, const AccessRecord& mine,
                         unsigned thread);
  // What an atomic load, or a volatile one of global memory, races with: plain writes. It is not remembered,
  // so a plain write that comes after it is found only in another order of the threads.
  Conflicts with_writes(const MemoryShadow& shadow, bool is_shared, std::size_t word, unsigned bytes,
                        unsigned thread);
  // What a volatile store of the running thread may undo, if it depends on what the thread has loaded from
  // the word: another's atomic or volatile store.
  std::optional<Conflict> with_lost_update(const MemoryShadow& shadow, std::size_t word, unsigned bytes,
                                           unsigned thread);

 private:
  using Cell = std::atomic_ref<std::uint64_t>;

  // Shared memory belongs to one worker, on which a plain store is enough.
  static bool replace(Cell& cell, const AccessRecord& old, const AccessRecord& updated, bool is_shared) {
    std::uint64_t expected = old.bits();
    if (!is_shared) return cell.compare_exchange_strong(expected, updated.bits(), std::memory_order_acq_rel);
    cell.store(updated.bits(), std::memory_order_relaxed);
    return true;
  }

  // Records of lower segments are before everything that happens now.
  std::uint32_t first_segment(bool is_shared) const {
    return is_shared ? order_.since_barrier() : watch_.first_segment();
  }
  WordHistory history_at(const MemoryShadow& shadow, std::size_t word, std::uint32_t first) const;
  Conflicts add(ByteHistory& byte, const AccessRecord& mine, unsigned thread, std::uintptr_t address) const;
  AccessRecord joined(AccessRecord past, const AccessRecord& mine, unsigned thread) const;
  std::optional<Conflict> conflict_with(const AccessRecord& past, unsigned thread) const;
  bool are_atomic_together(const AccessRecord& past, const AccessRecord& mine) const;
  bool other_thread_is_before(const AccessRecord& past, unsigned thread) const;

  LaunchWatch& watch_;
  BlockOrder& order_;
};

inline bool RaceCheck::is_simple(MemoryShadow& shadow, bool is_shared, std::size_t word,
                                 const AccessRecord& mine, unsigned thread) const {
  Cell cell(shadow.cell(word));
  for (;;) {
    const AccessRecord old(cell.load(std::memory_order_acquire));
    AccessRecord updated = mine;
    if (old.segment() >= first_segment(is_shared)) {
      if (old.bytes() != mine.bytes() || old.kind() == AccessRecord::history) return false;
      const bool is_mine = old.is_of_same_thread_and_segment(mine) && !old.stands_for_others();
      if (is_mine && old.kind() == mine.kind()) return true;
      if (is_mine && old.kind() == AccessRecord::store && mine.kind() == AccessRecord::load) return true;
      if (mine.is_of_block() || old.is_of_block()) return false;
      if (old.kind() == mine.kind() && mine.kind() != AccessRecord::store) {
        updated = joined(old, mine, thread);
        if (updated == old) return true;
      } else if (!(is_mine && old.kind() == AccessRecord::load && mine.kind() == AccessRecord::store)) {
        return false;
      }
    }
    if (replace(cell, old, updated, is_shared)) return true;
  }
}

}  // namespace gpulab::simulator::watch
