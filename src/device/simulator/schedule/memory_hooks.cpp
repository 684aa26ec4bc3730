// Kernels whose races must show are compiled with -fsanitize=thread but without its run-time library: the
// compiler then calls these functions before every access to memory that other threads can reach. The set of
// functions is the one that GCC (since 11) and Clang share, and that the Linux kernel's KCSAN relies on as
// well.
#include <cstddef>

#include "device/simulator/schedule/device_calls.hpp"

namespace {

void before_access() {
  if (gpulab::BlockScheduler* scheduler = gpulab::scheduler_of_this_thread()) scheduler->at_memory_access();
}

}  // namespace

#pragma GCC visibility push(default)

#define GPULAB_HOOKS(bytes)                   \
  void __tsan_read##bytes(void*) {            \
    before_access();                          \
  }                                           \
  void __tsan_write##bytes(void*) {           \
    before_access();                          \
  }                                           \
  void __tsan_unaligned_read##bytes(void*) {  \
    before_access();                          \
  }                                           \
  void __tsan_unaligned_write##bytes(void*) { \
    before_access();                          \
  }                                           \
  void __tsan_volatile_read##bytes(void*) {   \
    before_access();                          \
  }                                           \
  void __tsan_volatile_write##bytes(void*) {  \
    before_access();                          \
  }                                           \
  void __tsan_read_write##bytes(void*) {      \
    before_access();                          \
  }

extern "C" {
GPULAB_HOOKS(1)
GPULAB_HOOKS(2)
GPULAB_HOOKS(4)
GPULAB_HOOKS(8)
GPULAB_HOOKS(16)
void __tsan_read_range(void*, std::size_t) {
  before_access();
}
void __tsan_write_range(void*, std::size_t) {
  before_access();
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
