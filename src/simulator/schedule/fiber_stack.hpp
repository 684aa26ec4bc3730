#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
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

}  // namespace gpulab::simulator::schedule
