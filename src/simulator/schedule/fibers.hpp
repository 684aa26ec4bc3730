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
  void* sp = nullptr;  // upper end of the stack
  std::size_t size = 0;
};

// The function that a fiber runs. It must not return.
using FiberFunction = void (*)();

#if defined(__x86_64__)

// A suspended fiber is its stack pointer. The stack holds the address to resume at, and above it the frame
// pointer; the compiler saves all other registers. A kernel's barrier can therefore switch fibers inline
// (prelude/barriers_and_warps.cuh). A call would leave a return address that the CPU mispredicts.
struct Fiber {
  void* stack = nullptr;
  explicit operator bool() const { return stack != nullptr; }
};
inline constexpr bool kernels_can_switch_fibers = true;

// Returns a fiber that is suspended at the first instruction of `function`.
inline Fiber fiber_on(const FiberStack& stack, FiberFunction function) {
  auto* const top = static_cast<void**>(stack.sp);
  top[-1] = nullptr;  // return address
  top[-2] = nullptr;  // frame pointer
  top[-3] = reinterpret_cast<void*>(function);
  return {top - 3};
}

// Switches context: resumes `to`, and stores the running fiber in `from`, from where it is resumed later.
inline void switch_fibers(Fiber&& to, Fiber& from) {
  void** suspended = &from.stack;
  void* next = to.stack;
  // Skips the red zone first, which a leaf function may use below its stack pointer.
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\tpushq %%rbp\n\tleaq 1f(%%rip), %%rax\n\tpushq %%rax\n\tmovq %%rsp, (%0)\n\tmovq %1, %%rsp\n\tpopq %%rax\n\tpopq %%rbp\n\tjmpq *%%rax\n"
      "1:\n\tleaq 128(%%rsp), %%rsp"
      : "+D"(suspended), "+S"(next)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15", "cc", "memory");
}

// Resumes a fiber and abandons the running one.
[[noreturn]] inline void jump_to(Fiber& fiber) {
  asm volatile("movq %0, %%rsp\n\tpopq %%rax\n\tpopq %%rbp\n\tjmpq *%%rax"
               :
               : "S"(fiber.stack)
               : "rax", "memory");
  __builtin_unreachable();
}

// Prefetches the top of the fiber's stack.
inline void prefetch_stack(const Fiber& fiber) {
  const auto* const at = static_cast<const char*>(fiber.stack);
  for (const int line : {0, 64, 128}) __builtin_prefetch(at + line);
}

#else

using Fiber = boost::context::fiber;
inline constexpr bool kernels_can_switch_fibers = false;
inline thread_local Fiber* suspended_fiber = nullptr;  // receives the fiber that is suspended by a switch

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

inline Fiber fiber_on(const FiberStack& stack, FiberFunction function) {
  return Fiber(std::allocator_arg, LentStack{stack}, [function](Fiber&& suspended) {
    *suspended_fiber = std::move(suspended);
    function();
    return Fiber();
  });
}

inline void switch_fibers(Fiber&& to, Fiber& from) {
  suspended_fiber = &from;
  Fiber suspended = std::move(to).resume();  // returns when another switch resumes this fiber
  *suspended_fiber = std::move(suspended);
}

[[noreturn]] inline void jump_to(Fiber& fiber) {
  Fiber nowhere;
  switch_fibers(std::move(fiber), nowhere);
  __builtin_unreachable();
}

inline void prefetch_stack(const Fiber&) {}

#endif

// State that a kernel's own code shares with the scheduler while threads run in a loop or a ring. These are
// thread-local variables of the program; prelude/device_calls.cuh declares them with the same layout.

struct Index {
  unsigned x, y, z;
};

// A thread of a block, in the ring of the threads that have not returned.
struct RingNode {
  Fiber context;  // the fiber of the thread while it is suspended; empty while it runs
  RingNode *next = nullptr, *previous = nullptr;
  Index index = {};
};

// The state of a block whose threads wait at barriers only. A thread that has to wait switches to the next
// thread in the ring.
struct Ring {
  RingNode* running;
  int barrier;       // position of the barrier that some threads have reached; 0 for no barrier, or no ring
  unsigned missing;  // threads that have not reached the barrier
};

// The state of a block whose threads run one after another, in a loop of the kernel's own object.
struct LoopTurn {
  unsigned number;   // the running thread; 0 in a function of the block with barriers, where `running` has it
  unsigned is_over;  // whether the scheduler has taken over
  unsigned running;  // the running thread between two barriers of a function of the block
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

// Stacks for fibers: 512 KiB, as much local memory as a GPU has for a thread, over a guard page. Each stack
// begins at another offset within its page (cache colouring): otherwise the tops of all stacks would share a
// few sets of the CPU's caches, and a context switch would take twice the time.
//
// Stacks are lent one by one and taken back all at once. So a fiber can be abandoned without unwinding its
// stack: unwinding would end the process at the first noexcept function.
class FiberStacks {
 public:
  static constexpr std::size_t usable_bytes = 512 * 1024;
  // Mappings that a stack adds to the process's memory map, whose size Linux limits: the guard page and the
  // rest of the stack have different permissions.
  static constexpr std::size_t mappings_per_stack = 2;

  FiberStacks() = default;
  ~FiberStacks() { unmap_all(); }
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  // Reserves room for `count` stacks, so that lend() does not allocate.
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
  // Takes all stacks back and returns their memory to the system.
  void unmap_all();

 private:
  void map_another();

  std::vector<FiberStack> stacks_;
  std::vector<std::pair<char*, std::size_t>> mappings_;  // address, stacks
  std::size_t unused_in_last_ = 0;
  std::size_t lent_ = 0;
};

// The fibers that run the threads of one block, and the worker's own context, which is suspended while a
// fiber runs. A suspended fiber is kept with the thread that waits in it, or in the list of idle fibers.
class Fibers {
 public:
  explicit Fibers(FiberFunction function) : function_(function) {}

  // Reserves room for a block of `threads` threads, so that nothing is allocated while these run.
  void reserve(std::size_t threads) {
    idle_.reserve(threads);
    stacks_.reserve(threads + 1);  // one stack is prepared in advance
  }

  // Returns an idle fiber, or a new one. The fiber is empty when there is no memory for another stack: an
  // exception must not pass through the kernel, whose functions may be noexcept.
  Fiber idle_or_new() {
    if (idle_.empty()) return new_fiber();
    Fiber idle = std::move(idle_.back());
    idle_.pop_back();
    return idle;
  }
  // Returns a new fiber; empty when there is no memory for its stack.
  Fiber new_fiber() noexcept {
    try {
      return fiber_on(stacks_.lend(), function_);
    } catch (const std::exception&) {
      return {};
    }
  }

  // Adds an empty element to the list of idle fibers. The running fiber is stored there when it switches
  // away.
  Fiber& add_idle_slot() { return idle_.emplace_back(); }

  // The worker's own context.
  Fiber& worker() { return worker_; }

  // Returns the number of context switches since the last call.
  std::uint64_t take_switches() { return std::exchange(switches_, 0); }
  void add_switches(std::uint64_t switches) { switches_ += switches; }

  // Switches context: resumes `to`, and stores the running context in `from`.
  void switch_to(Fiber&& to, Fiber& from) {
    ++switches_;
    switch_fibers(std::move(to), from);
  }

  // Abandons a suspended fiber without unwinding it: kernels own nothing that has to be freed.
  static void forget(Fiber& suspended) {
    alignas(Fiber) unsigned char unowned[sizeof(Fiber)];
    // The destructor, which would unwind the stack, never runs.
    new (unowned) Fiber(std::exchange(suspended, {}));
  }
  void forget_idle() {
    for (Fiber& fiber : idle_) forget(fiber);
    idle_.clear();
    stacks_.take_all_back();
  }

  // Frees memory so that a failure can be explained.
  void unmap_stacks() { stacks_.unmap_all(); }

 private:
  FiberFunction function_;
  FiberStacks stacks_;
  Fiber worker_;
  std::vector<Fiber> idle_;
  std::uint64_t switches_ = 0;
};

}  // namespace gpulab::simulator::schedule
