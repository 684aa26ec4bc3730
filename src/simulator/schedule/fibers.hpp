#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "simulator/schedule/fiber.hpp"

namespace gpulab::simulator::schedule {

// Stacks for the fibers that carry simulated threads: 64 KiB over a guard page. Each starts at another offset
// within its page: at equal offsets the tops of all stacks would share a few sets of the CPU's caches, and
// switching between them would cost twice the time.
//
// A stack is lent until all are taken back at once. So a fiber can be given up without unwinding it, which
// would end the process at the first noexcept function.
class FiberStacks {
 public:
  static constexpr std::size_t usable_bytes = 64 * 1024;
  // Of the process's memory map, which Linux limits: the guard page and the rest have other permissions.
  static constexpr std::size_t mappings_per_stack = 2;

  FiberStacks() = default;
  ~FiberStacks() { unmap_all(); }
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  // Makes room for that many stacks, so that lend() does not allocate.
  void reserve(std::size_t count) {
    stacks_.reserve(count);
    mappings_.reserve(count);
  }
  // Throws std::bad_alloc when the process has no memory, or no mappings, left.
  FiberStack lend() {
    if (lent_ == stacks_.size()) map_another();
    return stacks_[lent_++];
  }
  void take_all_back() { lent_ = 0; }
  // Takes all back and gives their memory to the rest of the process.
  void unmap_all();

 private:
  void map_another();

  std::vector<FiberStack> stacks_;
  std::vector<std::pair<char*, std::size_t>> mappings_;  // where each begins, and of how many stacks
  std::size_t unused_in_last_ = 0;
  std::size_t lent_ = 0;
};

// The fibers that carry the threads of one block, and the worker's own context, which is left while a fiber
// runs. A fiber is suspended in the context that it was left in: a thread's where that waits, or that of an
// idle carrier.
class Fibers {
 public:
  explicit Fibers(FiberLife life) : life_(life) {}

  // Makes room for a block of so many threads, so that nothing is allocated while they run.
  void reserve(std::size_t threads) {
    idle_.reserve(threads);
    stacks_.reserve(threads + 1);  // one more is kept ready
  }

  // A fiber that waits for threads to carry, or a new one. Empty when there is no memory for another stack:
  // an exception must not be thrown through the kernel, whose functions may be noexcept.
  Fiber carrier() {
    if (idle_.empty()) return begun();
    Fiber waiting = std::move(idle_.back());
    idle_.pop_back();
    return waiting;
  }
  // A new one, or an empty one.
  Fiber begun() noexcept {
    try {
      return fiber_on(stacks_.lend(), life_);
    } catch (const std::exception&) {
      return {};
    }
  }

  // Where a carrier with nothing to do is kept.
  Fiber& idle_place() { return idle_.emplace_back(); }

  // The worker's own context.
  Fiber& worker() { return worker_; }

  // Since the last call.
  std::uint64_t take_switches() { return std::exchange(switches_, 0); }
  void add_switches(std::uint64_t switches) { switches_ += switches; }

  // Goes on in another context, and keeps the one it leaves where that, or a later one, will find it.
  void switch_to(Fiber&& to, Fiber& keep) {
    ++switches_;
    switch_fibers(std::move(to), keep);
  }

  // Gives up all that is suspended, without unwinding it: kernels own nothing that has to be freed.
  static void forget(Fiber& suspended) {
    alignas(Fiber) unsigned char unowned[sizeof(Fiber)];
    // Its destructor, which would unwind the stack, never runs.
    new (unowned) Fiber(std::exchange(suspended, {}));
  }
  void forget_idle() {
    for (Fiber& carrier : idle_) forget(carrier);
    idle_.clear();
    stacks_.take_all_back();
  }

  // An explanation of what went wrong needs memory, too.
  void unmap_stacks() { stacks_.unmap_all(); }

 private:
  FiberLife life_;
  FiberStacks stacks_;
  Fiber worker_;
  std::vector<Fiber> idle_;
  std::uint64_t switches_ = 0;
};

}  // namespace gpulab::simulator::schedule
