#include "simulator/schedule/fiber_stack.hpp"

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

boost::context::stack_context FiberStacks::lend() {
  if (lent_ == stacks_.size()) {
    const std::size_t colour = stacks_.size() * colour_step % page;
    boost::context::stack_context& stack = stacks_.emplace_back();
    try {
      stack.size = mapped_bytes - colour;
      stack.sp = static_cast<char*>(map_with_guard()) + stack.size;
    } catch (...) {
      stacks_.pop_back();
      throw;
    }
  }
  return stacks_[lent_++];
}

void FiberStacks::unmap_all() {
  for (const auto& stack : stacks_) ::munmap(static_cast<char*>(stack.sp) - stack.size, mapped_bytes);
  stacks_.clear();
  lent_ = 0;
}

}  // namespace gpulab::simulator::schedule
