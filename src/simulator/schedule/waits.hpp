#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/count/access_recorder.hpp"

namespace gpulab::simulator::schedule {

// Threads of a block that read a word again and again, with volatile loads or with atomics that leave it as it
// is: they wait for somebody to change it, and need not run before. Nothing here allocates while threads run.
class Waits {
 public:
  // One look at a word. The trace stands for what else the thread has accessed since its last look, and for
  // what it brought.
  struct Look {
    count::MemoryAccess access;
    std::uint64_t value = 0;
    std::uint64_t trace = 0;
    bool is_in_vain = false;  // it found what the look before had found
  };

  void start(std::size_t threads) {
    looks_.assign(threads, {});
    parked_.clear();
    parked_.reserve(threads);
  }

  // Whether the thread has looked there before, found the same, and did the same in between.
  bool is_in_vain(unsigned thread, const Look& look);
  const Look& look_of(unsigned thread) const { return looks_[thread].look; }

  // What a thread waits for is the word that it looked at last.
  void park(unsigned thread) { parked_.push_back(thread); }
  bool any() const { return !parked_.empty(); }
  const std::vector<unsigned>& parked() const { return parked_; }

  // Hands out those that wait for one of these bytes.
  template <class Wake>
  void wake(std::uintptr_t address, std::size_t bytes, const Wake& wake) {
    std::size_t kept = 0;
    for (const unsigned thread : parked_) {
      const count::MemoryAccess& waits_for = looks_[thread].look.access;
      if (address < waits_for.address + waits_for.bytes && waits_for.address < address + bytes)
        wake(thread);
      else
        parked_[kept++] = thread;
    }
    parked_.resize(kept);
  }
  template <class Wake>
  void wake_all(const Wake& wake) {
    for (const unsigned thread : parked_) wake(thread);
    parked_.clear();
  }

 private:
  struct History {
    Look look;
    std::uint64_t others = 0;  // what it has seen of other words since it looked at that one
    unsigned looks_at_others = 0;
  };

  std::vector<History> looks_;  // by thread
  std::vector<unsigned> parked_;
};

}  // namespace gpulab::simulator::schedule
