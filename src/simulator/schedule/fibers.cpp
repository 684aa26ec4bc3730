#include "simulator/schedule/fibers.hpp"

#include <sys/mman.h>
#include <new>

namespace gpulab::simulator::schedule {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t mapped_bytes =
    FiberStacks::usable_bytes + 2 * page_bytes;  // guard below, colouring above
constexpr std::size_t colour_step = 576;         // bytes: nine cache lines
constexpr std::size_t stacks_at_once = 64;

char* mapped(std::size_t bytes) {
  void* const base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  ::madvise(base, bytes, MADV_NOHUGEPAGE);  // only the top of each stack is used
  return static_cast<char*>(base);
}

// Makes the lowest page a guard page. Linux 6.13 and later can do so without a change to the memory map. A
// change to the map waits for the page faults of all threads; with many workers it takes longer than most
// kernels.
void guard(char* base) {
  constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, which older headers lack
  if (::madvise(base, page_bytes, guard_install) != 0 && ::mprotect(base, page_bytes, PROT_NONE) != 0)
    throw std::bad_alloc();
}

}  // namespace

void FiberStacks::map_another() {
  if (unused_in_last_ == 0) {
    // Keeps a stack's room free above them: BlockChecker takes what lies so close above a frame for the
    // stack.
    char* base = mapped((stacks_at_once + 1) * mapped_bytes);
    std::size_t count = stacks_at_once;
    if (!base) {
      base = mapped(2 * mapped_bytes);
      count = 1;
    }
    if (!base) throw std::bad_alloc();
    mappings_.emplace_back(base, count);
    unused_in_last_ = count;
  }
  const auto& [first, count] = mappings_.back();
  char* const base = first + (count - unused_in_last_) * mapped_bytes;
  guard(base);
  --unused_in_last_;
  const std::size_t size = mapped_bytes - stacks_.size() * colour_step % page_bytes;
  stacks_.push_back({base + size, size});
}

void FiberStacks::unmap_all() {
  for (const auto& [first, count] : mappings_) ::munmap(first, (count + 1) * mapped_bytes);
  mappings_.clear();
  stacks_.clear();
  lent_ = unused_in_last_ = 0;
}

}  // namespace gpulab::simulator::schedule
