#include "simulator/schedule/fibers.hpp"

#include <sys/mman.h>
#include <new>

namespace gpulab::simulator::schedule {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t mapped_bytes = FiberStacks::usable_bytes + 2 * page;  // guard below, colouring above
constexpr std::size_t colour_step = 576;

void* map_with_guard() {
  void* base = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  if (::mprotect(base, page, PROT_NONE) != 0) {
    ::munmap(base, mapped_bytes);
    throw std::bad_alloc();
  }
  return base;
}

}  // namespace

void FiberStacks::map_another() {
  const std::size_t colour = stacks_.size() * colour_step % page;
  Stack& stack = stacks_.emplace_back();
  try {
    stack.size = mapped_bytes - colour;
    stack.sp = static_cast<char*>(map_with_guard()) + stack.size;
  } catch (...) {
    stacks_.pop_back();
    throw;
  }
}

void FiberStacks::unmap_all() {
  for (const auto& stack : stacks_) ::munmap(static_cast<char*>(stack.sp) - stack.size, mapped_bytes);
  stacks_.clear();
  lent_ = 0;
}

#if !defined(__x86_64__)

namespace {

// Boost.Context's StackAllocator.
struct StackLender {
  FiberStacks* stacks;
  boost::context::stack_context allocate() {
    boost::context::stack_context lent;
    const FiberStacks::Stack stack = stacks->lend();
    lent.sp = stack.sp;
    lent.size = stack.size;
    return lent;
  }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

Fiber Fibers::begun() noexcept try {
  return Fiber(std::allocator_arg, StackLender{&stacks_}, [this](Fiber&& left) {
    *left_ = std::move(left);
    life_();
    return Fiber();
  });
} catch (const std::exception&) {
  return {};
}

#endif

}  // namespace gpulab::simulator::schedule
