#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>

namespace gpulab {

// Stacks for the fibers that carry simulated threads, as Boost.Context's StackAllocator: 64 KiB over a guard
// page. Each starts at another offset within its page: at equal offsets the tops of all stacks would share a
// few sets of the CPU's caches, and switching between them would cost twice the time.
class FiberStacks {
 public:
  static constexpr std::size_t usable_bytes = 64 * 1024;

  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;

 private:
  std::size_t allocated_ = 0;
};

}  // namespace gpulab
