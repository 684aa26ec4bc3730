// Kernels whose races must show, or whose accesses are counted, are compiled with -fsanitize=thread but
// without its run-time library: the compiler then calls these functions before every access to memory that
// other threads can reach. The set of functions is the one that GCC (since 11) and Clang share, and that the
// Linux kernel's KCSAN relies on as well.
#include <cstddef>
#include <cstring>

#include "device/simulator/schedule/device_calls.hpp"

namespace {

using gpulab::MemoryAccess;
using Operation = MemoryAccess::Operation;

void before_access(Operation operation, const void* address, std::size_t bytes, const void* code,
                   bool is_volatile = false) {
  if (gpulab::BlockScheduler* scheduler = gpulab::scheduler_of_this_thread())
    scheduler->at_memory_access({operation, reinterpret_cast<std::uintptr_t>(address), bytes,
                                 reinterpret_cast<std::uintptr_t>(code), is_volatile});
}

// A structure is moved in the largest pieces, of at most 16 bytes, that divide its size and its address.
void before_range(Operation operation, const void* address, std::size_t bytes, const void* code) {
  const gpulab::BlockScheduler* const scheduler = gpulab::scheduler_of_this_thread();
  if (bytes == 0 || !scheduler) return;
  if (scheduler->is_checking()) return before_access(operation, address, bytes, code);
  const std::size_t both = reinterpret_cast<std::uintptr_t>(address) | bytes | 16;
  const std::size_t piece = both & (~both + 1);
  for (std::size_t offset = 0; offset < bytes; offset += piece)
    before_access(operation, static_cast<const char*>(address) + offset, piece, code);
}

}  // namespace

#pragma GCC visibility push(default)

#define GPULAB_CALLER __builtin_return_address(0)

#define GPULAB_HOOK(name, operation, bytes)                             \
  void __tsan_##name##bytes(void* address) {                            \
    before_access(Operation::operation, address, bytes, GPULAB_CALLER); \
  }
#define GPULAB_VOLATILE_HOOK(name, operation, bytes)                          \
  void __tsan_##name##bytes(void* address) {                                  \
    before_access(Operation::operation, address, bytes, GPULAB_CALLER, true); \
  }

#define GPULAB_HOOKS(bytes)                                         \
  GPULAB_HOOK(read, load, bytes)                                    \
  GPULAB_HOOK(write, store, bytes)                                  \
  GPULAB_HOOK(unaligned_read, load, bytes)                          \
  GPULAB_HOOK(unaligned_write, store, bytes)                        \
  GPULAB_VOLATILE_HOOK(volatile_read, load, bytes)                  \
  GPULAB_VOLATILE_HOOK(volatile_write, store, bytes)                \
  GPULAB_VOLATILE_HOOK(unaligned_volatile_read, load, bytes)        \
  GPULAB_VOLATILE_HOOK(unaligned_volatile_write, store, bytes)      \
  void __tsan_read_write##bytes(void* address) {                    \
    before_access(Operation::load, address, bytes, GPULAB_CALLER);  \
    before_access(Operation::store, address, bytes, GPULAB_CALLER); \
  }

extern "C" {
GPULAB_HOOKS(1)
GPULAB_HOOKS(2)
GPULAB_HOOKS(4)
GPULAB_HOOKS(8)
GPULAB_HOOKS(16)
void __tsan_read_range(void* address, std::size_t bytes) {
  before_range(Operation::load, address, bytes, GPULAB_CALLER);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  before_range(Operation::store, address, bytes, GPULAB_CALLER);
}

// Clang copies a structure by one of these: since version 15 by the first, before by memcpy, of which the
// linker makes the second.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  before_range(Operation::load, from, bytes, GPULAB_CALLER);
  before_range(Operation::store, to, bytes, GPULAB_CALLER);
  return std::memcpy(to, from, bytes);
}
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) __attribute__((alias("__tsan_memcpy")));
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  before_range(Operation::load, from, bytes, GPULAB_CALLER);
  before_range(Operation::store, to, bytes, GPULAB_CALLER);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  before_range(Operation::store, to, bytes, GPULAB_CALLER);
  return std::memset(to, value, bytes);
}

// The prelude's atomics are not hooked, since nothing must come between their parts.
void gpulab_before_atomic(void* address, std::size_t bytes, void* code) {
  before_access(Operation::atomic, address, bytes, code);
}

void gpulab_fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  gpulab::scheduler_of_this_thread()->fence();
}

void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}
}

#pragma GCC visibility pop
