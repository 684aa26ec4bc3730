#include "device/simulator/fiber_stack.hpp"

#include <sys/mman.h>

#include <new>

namespace gpulab {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t mapped_bytes = FiberStacks::usable_bytes + 2 * page;  // guard below, colouring above
constexpr std::size_t colour_step = 576;

}  // namespace

boost::context::stack_context FiberStacks::allocate() {
  void* base = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  ::mprotect(base, page, PROT_NONE);
  const std::size_t colour = allocated_++ * colour_step % page;
  boost::context::stack_context stack;
  stack.size = mapped_bytes - colour;
  stack.sp = static_cast<char*>(base) + stack.size;
  return stack;
}

void FiberStacks::deallocate(boost::context::stack_context& stack) noexcept {
  ::munmap(static_cast<char*>(stack.sp) - stack.size, mapped_bytes);
}

}  // namespace gpulab
