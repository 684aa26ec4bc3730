#include "program/runtime/call.hpp"

#include <sys/time.h>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <new>
#include <ostream>

#include "simulator/schedule/hooks.hpp"

// Functions of the C library that a program calls on both sides (host_compiler.cpp lists them). In a kernel
// they call the device's version, on the host the library's; the sizes of blocks that they allocate are
// remembered.

namespace gpulab::program::runtime {
namespace {

using simulator::schedule::scheduler_of_this_thread;

class HostBlocks {
 public:
  void add(void* block, std::size_t bytes) {
    constexpr std::size_t min_bytes = 64;  // smaller ones are many, such as list nodes
    if (!block || bytes < min_bytes) return;
    const std::lock_guard lock(mutex_);
    all_[reinterpret_cast<std::uintptr_t>(block)] = bytes;
  }
  void remove(void* block) {
    const std::lock_guard lock(mutex_);
    all_.erase(reinterpret_cast<std::uintptr_t>(block));
  }
  std::optional<std::size_t> room_at(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto after = all_.upper_bound(address);
    if (after == all_.begin()) return std::nullopt;
    const auto& [begin, bytes] = *std::prev(after);
    if (address - begin >= bytes) return std::nullopt;
    return begin + bytes - address;
  }

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> all_;
};

HostBlocks& blocks() {
  static HostBlocks* const all = new HostBlocks;  // never destroyed: blocks are freed until the process ends
  return *all;
}

void* remembered(void* block, std::size_t bytes) {
  if (Runtime::instance().is_watching()) blocks().add(block, bytes);
  return block;
}

using simulator::schedule::host_accesses;
using Operation = simulator::watch::MemoryAccess::Operation;

void on_atomic(Operation operation, const volatile void* word, std::size_t bytes, const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(word);
  if (!scheduler_of_this_thread() && host_accesses.is_watched(address))
    host_accesses.on_access(
        {operation, address, bytes, reinterpret_cast<std::uintptr_t>(code), /*is_volatile=*/true});
}

void on_swap(const volatile void* word, std::size_t bytes, const void* code) {
  on_atomic(Operation::store, word, bytes, code);
  if (const auto address = reinterpret_cast<std::uintptr_t>(word); host_accesses.is_watched(address))
    Runtime::instance().on_host_swap(address);
}

void on_clock(const void* returns_to) {
  if (Runtime::instance().is_watching())
    Runtime::instance().on_clock({reinterpret_cast<std::uintptr_t>(returns_to)});
}

// Returns false for memory of the runtime, which must not be passed to the C library.
bool may_free(void* block, const void* returns_to, const char* name) {
  Runtime& runtime = Runtime::instance();
  if (runtime.is_watching()) blocks().remove(block);
  const std::lock_guard lock(runtime.mutex());
  const Allocation* const found = runtime.allocations().at(block);
  if (!found) return true;
  if (found->kind == MemoryKind::registered) {
    if (!found->is_freed)
      runtime.add({.pattern = "foreign-free",
                   .place = place_of({reinterpret_cast<std::uintptr_t>(returns_to)}),
                   .text = std::string(name) +
                           " frees memory that is still page-locked for the device: " + found->name(),
                   .instead = "cudaHostUnregister(pointer) before it is freed",
                   .others = {{place_of(found->site), "it was page-locked here"}}});
    return true;
  }
  runtime.add({.pattern = "foreign-free",
               .place = place_of({reinterpret_cast<std::uintptr_t>(returns_to)}),
               .text = std::string(name) + " is given " + found->name(),
               .instead = found->kind == MemoryKind::pinned ? "cudaFreeHost(...)" : "cudaFree(...)",
               .others = {{place_of(found->site), std::string(found->call) + " gave it here"}}});
  return false;
}

}  // namespace

std::optional<std::size_t> host_room_at(std::uintptr_t address) {
  return blocks().room_at(address);
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)

extern "C" {

// assert.h declares it only if assertions are on.
[[noreturn]] void __assert_fail(const char* condition, const char* file, unsigned line,
                                const char* function) noexcept;
long long gpulab_clock();

int __wrap_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int written = scheduler_of_this_thread() ? gpulab::simulator::schedule::print_from_kernel(
                                                       format, arguments, __builtin_return_address(0))
                                                 : std::vprintf(format, arguments);
  va_end(arguments);
  return written;
}

void __wrap___assert_fail(const char* condition, const char* file, unsigned line, const char* function) {
  if (!scheduler_of_this_thread()) __assert_fail(condition, file, line, function);
  gpulab::simulator::schedule::fail_assertion(condition, static_cast<int>(line), __builtin_return_address(0));
}

std::clock_t __wrap_clock() {
  if (scheduler_of_this_thread()) return gpulab_clock();
  on_clock(__builtin_return_address(0));
  return std::clock();
}

int __wrap_clock_gettime(clockid_t clock, std::timespec* time) {
  on_clock(__builtin_return_address(0));
  return ::clock_gettime(clock, time);
}

int __wrap_gettimeofday(timeval* time, void* zone) {
  on_clock(__builtin_return_address(0));
  return ::gettimeofday(time, static_cast<struct timezone*>(zone));
}

std::size_t __wrap_fwrite(const void* from, std::size_t bytes, std::size_t count, std::FILE* file) {
  host_accesses.on_range(Operation::load, from, bytes * count, __builtin_return_address(0));
  return std::fwrite(from, bytes, count, file);
}

std::size_t __wrap_fread(void* to, std::size_t bytes, std::size_t count, std::FILE* file) {
  host_accesses.on_range(Operation::store, to, bytes * count, __builtin_return_address(0));
  return std::fread(to, bytes, count, file);
}

// Replaces std::ostream::write.
std::ostream* __wrap__ZNSo5writeEPKcl(std::ostream* stream, const char* from, std::streamsize bytes) {
  host_accesses.on_range(Operation::load, from, static_cast<std::size_t>(bytes), __builtin_return_address(0));
  return &stream->write(from, bytes);
}

// Replace now() of std::chrono::steady_clock and system_clock. A time_point is returned as its only member.
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  on_clock(__builtin_return_address(0));
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
std::int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv() {
  on_clock(__builtin_return_address(0));
  return std::chrono::system_clock::now().time_since_epoch().count();
}

void* __wrap_malloc(std::size_t bytes) {
  if (auto* const scheduler = scheduler_of_this_thread()) return scheduler->take_memory(bytes);
  return remembered(std::malloc(bytes), bytes);
}

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  return remembered(std::calloc(count, bytes), count * bytes);
}

void* __wrap_realloc(void* block, std::size_t bytes) {
  if (Runtime::instance().is_watching()) blocks().remove(block);
  return remembered(std::realloc(block, bytes), bytes);
}

void __wrap_free(void* block) {
  if (auto* const scheduler = scheduler_of_this_thread())
    return scheduler->give_memory_back(block, __builtin_return_address(0));
  if (block && may_free(block, __builtin_return_address(0), "free")) std::free(block);
}

void* __wrap__Znwm(std::size_t bytes) {
  if (auto* const scheduler = scheduler_of_this_thread()) return scheduler->take_memory(bytes);
  return remembered(::operator new(bytes), bytes);
}

void* __wrap__Znam(std::size_t bytes) {
  if (auto* const scheduler = scheduler_of_this_thread()) return scheduler->take_memory(bytes);
  return remembered(::operator new[](bytes), bytes);
}

#define GPULAB_DELETE(name, word, ...)                                                        \
  void name(void* block __VA_OPT__(, ) __VA_ARGS__) {                                         \
    if (auto* const scheduler = scheduler_of_this_thread())                                   \
      return scheduler->give_memory_back(block, __builtin_return_address(0));                 \
    if (block && may_free(block, __builtin_return_address(0), #word)) ::operator word(block); \
  }
GPULAB_DELETE(__wrap__ZdlPv, delete)
GPULAB_DELETE(__wrap__ZdlPvm, delete, std::size_t)
GPULAB_DELETE(__wrap__ZdaPv, delete[])
GPULAB_DELETE(__wrap__ZdaPvm, delete[], std::size_t)

// Atomic operations of the host: a compiler that hooks accesses calls these functions.
#define GPULAB_AT_ATOMIC(operation, word) \
  on_atomic(Operation::operation, word, sizeof *(word), __builtin_return_address(0))
#define GPULAB_ATOMIC_UPDATE(bits, type, operation)                                    \
  type __tsan_atomic##bits##_fetch_##operation(volatile type* word, type value, int) { \
    GPULAB_AT_ATOMIC(store, word);                                                     \
    return __atomic_fetch_##operation(word, value, __ATOMIC_SEQ_CST);                  \
  }
#define GPULAB_ATOMICS(bits, type)                                                                        \
  type __tsan_atomic##bits##_load(const volatile type* word, int) {                                       \
    GPULAB_AT_ATOMIC(load, word);                                                                         \
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);                                                       \
  }                                                                                                       \
  void __tsan_atomic##bits##_store(volatile type* word, type value, int) {                                \
    GPULAB_AT_ATOMIC(store, word);                                                                        \
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                       \
  type __tsan_atomic##bits##_exchange(volatile type* word, type value, int) {                             \
    GPULAB_AT_ATOMIC(store, word);                                                                        \
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* word, type* expected, type value, int, \
                                                    int) {                                                \
    on_swap(word, sizeof *(word), __builtin_return_address(0));                                           \
    return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* word, type* expected, type value, int,   \
                                                  int) {                                                  \
    on_swap(word, sizeof *(word), __builtin_return_address(0));                                           \
    return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                       \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* word, type expected, type value, int,    \
                                                  int) {                                                  \
    on_swap(word, sizeof *(word), __builtin_return_address(0));                                           \
    __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                                      \
  }                                                                                                       \
  GPULAB_ATOMIC_UPDATE(bits, type, add)                                                                   \
  GPULAB_ATOMIC_UPDATE(bits, type, sub)                                                                   \
  GPULAB_ATOMIC_UPDATE(bits, type, and)                                                                   \
  GPULAB_ATOMIC_UPDATE(bits, type, or)                                                                    \
  GPULAB_ATOMIC_UPDATE(bits, type, xor)                                                                   \
  GPULAB_ATOMIC_UPDATE(bits, type, nand)
GPULAB_ATOMICS(8, unsigned char)
GPULAB_ATOMICS(16, unsigned short)
GPULAB_ATOMICS(32, unsigned)
GPULAB_ATOMICS(64, unsigned long)
}

#pragma GCC visibility pop
