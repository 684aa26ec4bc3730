#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulab::simulator::watch {

// A copy to shared memory that a thread has started. The last `zeros` of its bytes are set to zero.
struct AsyncCopy {
  std::uintptr_t to = 0, from = 0;
  std::size_t bytes = 0, zeros = 0;
  std::uintptr_t barrier = 0;  // it ends with a phase of this barrier; 0: when its thread waits
  std::uintptr_t pc = 0;       // the return address of the call
  std::uint32_t thread = 0, group = 0, next = 0;  // next: place of the next in its chain

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
  // Removes and returns a copy of the thread's groups, but for the last `groups_to_keep`; null if none is
  // left. The copy is valid until the next call of add().
  const AsyncCopy* take(unsigned thread, unsigned groups_to_keep);
  // Does the same for the copies that end with the barrier.
  const AsyncCopy* take_of_barrier(std::uintptr_t barrier);
  // Returns a copy that writes one of these bytes; null if there is none.
  const AsyncCopy* find(std::uintptr_t address, std::size_t bytes) const;

 private:
  static constexpr std::size_t max_threads = 1024;

  const AsyncCopy* unlink(std::size_t chain, std::uint32_t place, std::uint32_t before);

  std::vector<AsyncCopy> copies_;  // [0] is none
  std::uint32_t free_ = 0;         // the first free one
  std::size_t in_flight_ = 0;
  bool is_used_ = false;                     // in this block
  std::vector<std::uint32_t> first_, last_;  // by thread; then of those that end with a barrier
  std::array<std::uint32_t, max_threads> committed_{};
};

}  // namespace gpulab::simulator::watch
