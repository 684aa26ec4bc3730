#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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
  void reserve(std::size_t count) { stacks_.reserve(count); }
  // Throws std::bad_alloc when the process has no memory, or no mappings, left.
  boost::context::stack_context lend();
  void take_all_back() { lent_ = 0; }
  // Takes all back and gives their memory to the rest of the process.
  void unmap_all();

 private:
  std::vector<boost::context::stack_context> stacks_;
  std::size_t lent_ = 0;
};

// Boost.Context's StackAllocator.
struct StackLender {
  FiberStacks* stacks;
  boost::context::stack_context allocate() { return stacks->lend(); }
  void deallocate(boost::context::stack_context&) noexcept {}
};

// The fibers that carry the threads of one block, and the worker's own context, which is left while a fiber
// runs. A fiber is suspended in the context that it was left in: a thread's where that waits, or that of an
// idle carrier.
class Fibers {
 public:
  using Fiber = boost::context::fiber;

  // Makes room for a block of so many threads, so that nothing is allocated while they run.
  void reserve(std::size_t threads) {
    idle_.reserve(threads);
    stacks_.reserve(threads);
  }

  // A fiber that waits for threads to carry, or a new one, which calls carry() and must not return. Empty
  // when there is no memory for another stack: an exception must not be thrown through the kernel, whose
  // functions may be noexcept.
  template <class Carry>
  Fiber carrier(const Carry& carry) {
    if (!idle_.empty()) {
      Fiber waiting = std::move(idle_.back());
      idle_.pop_back();
      return waiting;
    }
    try {
      return Fiber(std::allocator_arg, StackLender{&stacks_}, [this, carry](Fiber&& left) {
        *left_ = std::move(left);
        carry();
        return Fiber();
      });
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

  // Goes on in another context, and keeps the one it leaves where that, or a later one, will find it.
  void switch_to(Fiber&& to, Fiber& keep) {
    ++switches_;
    left_ = &keep;
    Fiber left = std::move(to).resume();
    *left_ = std::move(left);
  }

  // Gives up all that is suspended, without unwinding it: kernels own nothing that has to be freed.
  static void forget(Fiber& suspended) {
    alignas(Fiber) unsigned char unowned[sizeof(Fiber)];
    new (unowned) Fiber(std::move(suspended));  // its destructor, which would unwind the stack, never runs
  }
  void forget_idle() {
    for (Fiber& carrier : idle_) forget(carrier);
    idle_.clear();
    stacks_.take_all_back();
  }

  // An explanation of what went wrong needs memory, too.
  void unmap_stacks() { stacks_.unmap_all(); }

 private:
  FiberStacks stacks_;
  Fiber worker_;
  std::vector<Fiber> idle_;
  std::uint64_t switches_ = 0;
  Fiber* left_ = nullptr;  // where to keep the context that was just left
};

}  // namespace gpulab::simulator::schedule
