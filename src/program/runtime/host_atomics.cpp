
#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/schedule/hooks.hpp"

// Atomic operations of the host's code, which may be on memory that it shares with kernels.

namespace gpulab::program::runtime {
namespace {

using simulator::schedule::host_accesses;
using simulator::schedule::scheduler_of_this_thread;
using Operation = simulator::watch::MemoryAccess::Operation;

void on_atomic(Operation operation, const volatile void* word, std::size_t bytes, const void* pc) {
  const auto address = address_of(word);
  if (!scheduler_of_this_thread() && host_accesses.is_watched(address))
    host_accesses.on_access({operation, address, bytes, address_of(pc), /*is_volatile=*/true});
}

void on_swap(const volatile void* word, std::size_t bytes, const void* pc) {
  on_atomic(Operation::store, word, bytes, pc);
  if (const auto address = address_of(word); host_accesses.is_watched(address))
    Runtime::instance().on_host_swap(address);
}

}  // namespace
}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)

extern "C" {

// A compiler that hooks accesses calls these functions.
#define GPULAB_AT_ATOMIC(operation, word) \
  on_atomic(Operation::operation, word, sizeof *(word), __builtin_return_address(0))
#define GPULAB_ATOMIC_UPDATE(bits, type, operation)                                    \
  type __tsan_atomic##bits##_fetch_##operation(volatile type* word, type value, int) { \
    GPULAB_AT_ATOMIC(store, word);                                                     \
    return __atomic_fetch_##operation(word, value, __ATOMIC_SEQ_CST);                  \
  }
#define GPULAB_ATOMIC_SWAP(bits, type, kind)                                                              \
  int __tsan_atomic##bits##_compare_exchange_##kind(volatile type* word, type* expected, type value, int, \
                                                    int) {                                                \
    on_swap(word, sizeof *(word), __builtin_return_address(0));                                           \
    return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define GPULAB_ATOMICS(bits, type)                                                                     \
  type __tsan_atomic##bits##_load(const volatile type* word, int) {                                    \
    GPULAB_AT_ATOMIC(load, word);                                                                      \
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                    \
  void __tsan_atomic##bits##_store(volatile type* word, type value, int) {                             \
    GPULAB_AT_ATOMIC(store, word);                                                                     \
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                    \
  type __tsan_atomic##bits##_exchange(volatile type* word, type value, int) {                          \
    GPULAB_AT_ATOMIC(store, word);                                                                     \
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                                    \
  GPULAB_ATOMIC_SWAP(bits, type, strong)                                                               \
  GPULAB_ATOMIC_SWAP(bits, type, weak)                                                                 \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* word, type expected, type value, int, \
                                                  int) {                                               \
    on_swap(word, sizeof *(word), __builtin_return_address(0));                                        \
    __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    return expected;                                                                                   \
  }                                                                                                    \
  GPULAB_ATOMIC_UPDATE(bits, type, add)                                                                \
  GPULAB_ATOMIC_UPDATE(bits, type, sub)                                                                \
  GPULAB_ATOMIC_UPDATE(bits, type, and)                                                                \
  GPULAB_ATOMIC_UPDATE(bits, type, or)                                                                 \
  GPULAB_ATOMIC_UPDATE(bits, type, xor)                                                                \
  GPULAB_ATOMIC_UPDATE(bits, type, nand)
GPULAB_ATOMICS(8, unsigned char)
GPULAB_ATOMICS(16, unsigned short)
GPULAB_ATOMICS(32, unsigned)
GPULAB_ATOMICS(64, unsigned long)
}

#pragma GCC visibility pop
