#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#if !defined(__x86_64__)
#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#endif

namespace gpulab::simulator::schedule {

struct FiberStack {
  void* sp = nullptr;  // its upper end
  std::size_t size = 0;
};

// What a fiber does; it must not return.
using FiberLife = void (*)();

#if defined(__x86_64__)

// Where a fiber that is suspended goes on: its stack pointer. There the stack holds the address to go on at
// and above it the frame pointer; all other registers the compiler saves. So whoever knows that can switch: a
// kernel's barrier does it where it stands (prelude/barriers_and_warps.cuh), because a call would leave a
// return address that the CPU predicts wrongly.
struct Fiber {
  void* stack = nullptr;
  explicit operator bool() const { return stack != nullptr; }
};
inline constexpr bool kernels_can_switch_fibers = true;

// As if its life had been called, and then suspended before its first instruction.
inline Fiber fiber_on(const FiberStack& stack, FiberLife life) {
  auto* const top = static_cast<void**>(stack.sp);
  top[-1] = nullptr;  // the place to return to
  top[-2] = nullptr;  // the frame pointer
  top[-3] = reinterpret_cast<void*>(life);
  return {top - 3};
}

// Goes on in another fiber, and keeps the one it leaves where that, or a later one, will find it.
inline void switch_fibers(Fiber&& to, Fiber& keep) {
  void** left = &keep.stack;
  void* next = to.stack;
  // First over what a function without calls may keep below its stack pointer.
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %1, %%rsp\n\t"
      "popq %%rax\n\t"
      "popq %%rbp\n\t"
      "jmpq *%%rax\n"
      "1:\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "+D"(left), "+S"(next)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15", "cc", "memory");
}

// Goes on there, and leaves nothing to come back to.
[[noreturn]] inline void go_on_in(Fiber& fiber) {
  asm volatile(
      "movq %0, %%rsp\n\t"
      "popq %%rax\n\t"
      "popq %%rbp\n\t"
      "jmpq *%%rax"
      :
      : "S"(fiber.stack)
      : "rax", "memory");
  __builtin_unreachable();
}

// Fetches what it needs first into the CPU's first cache.
inline void expect(const Fiber& fiber) {
  const auto* const at = static_cast<const char*>(fiber.stack);
  for (const int line : {0, 64, 128}) __builtin_prefetch(at + line);
}

#else

using Fiber = boost::context::fiber;
inline constexpr bool kernels_can_switch_fibers = false;
inline thread_local Fiber* left_fiber = nullptr;  // where to keep the one that was just left

// Boost.Context's StackAllocator.
struct LentStack {
  FiberStack stack;
  boost::context::stack_context allocate() {
    boost::context::stack_context context;
    context.sp = stack.sp;
    context.size = stack.size;
    return context;
  }
  void deallocate(boost::context::stack_context&) noexcept {}
};

inline Fiber fiber_on(const FiberStack& stack, FiberLife life) {
  return Fiber(std::allocator_arg, LentStack{stack}, [life](Fiber&& left) {
    *left_fiber = std::move(left);
    life();
    return Fiber();
  });
}

inline void switch_fibers(Fiber&& to, Fiber& keep) {
  left_fiber = &keep;
  Fiber left = std::move(to).resume();
  *left_fiber = std::move(left);
}

[[noreturn]] inline void go_on_in(Fiber& fiber) {
  Fiber nowhere;
  switch_fibers(std::move(fiber), nowhere);
  __builtin_unreachable();
}

inline void expect(const Fiber&) {}

#endif

// What a kernel's own code and the scheduler share while threads take turns without it: thread-local
// variables of the program, which prelude/device_calls.cuh declares in the same way.

struct Index {
  unsigned x, y, z;
};

// One thread of a block: its place in the ring of those that have not returned.
struct Seat {
  Fiber place;  // where it goes on
  Seat *next = nullptr, *previous = nullptr;
  Index index = {};
};

// Threads that meet at barriers, and at nothing else. Whoever has to wait goes on with the next one.
struct Ring {
  Seat* running;
  int line;          // of the barrier that some have come to; 0 when there is none, or there is no ring
  unsigned missing;  // that have not come to it
};

// Threads that run one after another, in a loop of the kernel's own object.
struct LoopTurn {
  unsigned number;   // of the thread that runs
  unsigned is_over;  // whether the scheduler has taken over
};

}  // namespace gpulab::simulator::schedule

#pragma GCC visibility push(default)
extern "C" {
extern __thread gpulab::simulator::schedule::Index threadIdx, blockIdx, blockDim, gridDim;
extern __thread gpulab::simulator::schedule::Ring gpulab_ring;
extern __thread gpulab::simulator::schedule::LoopTurn gpulab_loop_turn;
}
#pragma GCC visibility pop

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
