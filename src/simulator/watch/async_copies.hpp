#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulab::simulator::watch {

// A copy to shared memory that a thread has started. The last `zeros` of its `bytes` are set to zero.
struct AsyncCopy {
  std::uintptr_t to = 0, from = 0;
  std::size_t bytes = 0, zeros = 0;
  std::uintptr_t barrier = 0;  // the copy ends with a phase of this barrier; 0: when its thread waits for it
  std::uintptr_t pc = 0;       // the return address of the call
  std::uint32_t thread = 0, group = 0;
  std::uint32_t next = 0;  // index of the next copy in its chain; 0: none

  bool overlaps(std::uintptr_t address, std::size_t count) const {
    return address < to + bytes && to < address + count;
  }
};

// The copies of a block that are in flight. A thread's copies are in groups, numbered from 0; the last
// group is not yet committed. Allocates nothing after construction.
class AsyncCopies {
 public:
  static constexpr std::size_t capacity = std::size_t{1} << 16;

  AsyncCopies();
  bool is_empty() const { return in_flight_ == 0; }
  void start_block();
  // Adds a copy to the thread's current group. Returns false if there is no room.
  bool add(AsyncCopy copy);
  void commit(unsigned thread) {
    is_used_ = true;
    ++committed_[thread];
  }
  // Removes and returns a copy of the thread's committed groups, except for the last `groups_to_keep`; null
  // if none is left. The copy is valid until the next call of add().
  const AsyncCopy* take(unsigned thread, unsigned groups_to_keep);
  // Removes and returns a copy that ends with a phase of the barrier, in the same way.
  const AsyncCopy* take_of_barrier(std::uintptr_t barrier);
  // Returns a copy that writes one of these bytes; null if there is none.
  const AsyncCopy* find(std::uintptr_t address, std::size_t bytes) const;

 private:
  static constexpr std::size_t max_threads = 1024;

  const AsyncCopy* unlink(std::size_t chain, std::uint32_t index, std::uint32_t previous);

  std::vector<AsyncCopy> copies_;  // [0] is not used, so that index 0 is none
  std::uint32_t free_ = 0;         // index of the first free element
  std::size_t in_flight_ = 0;
  bool is_used_ = false;  // in this block
  // Indices by chain: a chain for each thread, and at last one for all copies that end with a barrier.
  std::vector<std::uint32_t> first_, last_;
  std::array<std::uint32_t, max_threads> committed_{};
};

}  // namespace gpulab::simulator::watch
