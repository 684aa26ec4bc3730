#pragma once

#include <cstddef>
#include <utility>

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

}  // namespace gpulab::simulator::schedule
