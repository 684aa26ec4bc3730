#include "simulator/schedule/hooks.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "simulator/schedule/block_scheduler.hpp"

// Interrupted, counted and checked kernels are compiled with -fsanitize=thread but without its run-time
// library: the compiler then calls these functions before every access to memory that other threads can
// reach. GCC (since 11) and Clang share this set of functions, and the Linux kernel's KCSAN relies on it as
// well.

namespace {

using gpulab::simulator::schedule::BlockScheduler;
using gpulab::simulator::schedule::host_accesses;
using gpulab::simulator::schedule::scheduler_of_this_thread;
using gpulab::simulator::watch::MemoryAccess;
using Operation = MemoryAccess::Operation;

void before_access_of_host(Operation operation, const void* address, std::size_t bytes, const void* pc,
                           bool is_volatile = false) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (host_accesses.is_watched(begin)) [[unlikely]]
    host_accesses.on_access({operation, begin, bytes, reinterpret_cast<std::uintptr_t>(pc), is_volatile});
}

void before_access(Operation operation, const void* address, std::size_t bytes, const void* pc,
                   bool is_volatile = false) {
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  if (!scheduler) return before_access_of_host(operation, address, bytes, pc, is_volatile);
  scheduler->on_memory_access({operation, reinterpret_cast<std::uintptr_t>(address), bytes,
                               reinterpret_cast<std::uintptr_t>(pc), is_volatile});
}

// Reports an access that is not volatile. It is inlined into the hooks, which know the size.
[[gnu::always_inline]] inline void before_plain_access(Operation operation, const void* address,
                                                       std::size_t bytes, const void* pc, const void* frame) {
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  if (!scheduler) [[unlikely]]
    return before_access_of_host(operation, address, bytes, pc);
  const auto as_number = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  if (!scheduler->try_quick_access(operation, as_number(address), bytes, as_number(pc), as_number(frame)))
    scheduler->on_plain_access(operation, as_number(address), bytes, as_number(pc));
}

// Reports an access to a range, such as a copied structure. Outside checked launches it is reported in
// pieces: the largest, of at most 16 bytes, that divide the range's size and address.
void before_range(Operation operation, const void* address, std::size_t bytes, const void* pc) {
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  if (!scheduler) return host_accesses.on_range(operation, address, bytes, pc);
  if (bytes == 0) return;
  if (scheduler->is_checking()) {
    if (!scheduler->try_own_access(reinterpret_cast<std::uintptr_t>(address),
                                   reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))))
      before_access(operation, address, bytes, pc);
    return;
  }
  const std::size_t any_bits = reinterpret_cast<std::uintptr_t>(address) | bytes | 16;
  const std::size_t piece = any_bits & (~any_bits + 1);  // the lowest bit, at most 16
  for (std::size_t offset = 0; offset < bytes; offset += piece)
    before_access(operation, static_cast<const char*>(address) + offset, piece, pc);
}

// Reports a piece of a copy. A copied structure may have padding, which nobody wrote.
void before_copy(Operation operation, const void* address, std::size_t bytes, const void* pc) {
  scheduler_of_this_thread()->on_memory_access({operation, reinterpret_cast<std::uintptr_t>(address), bytes,
                                                reinterpret_cast<std::uintptr_t>(pc), /*is_volatile=*/false,
                                                gpulab::simulator::watch::may_have_gaps});
}

// Reports an access that exceeds its object. `room` is the object's size from here on, all ones if the
// compiler does not know it.
void check_room(Operation operation, const void* object, std::size_t bytes, std::size_t room,
                const void* pc) {
  using gpulab::DefectAccess;
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  if (bytes <= room || !scheduler->is_checking()) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(object);
  gpulab::simulator::watch::FoundDefect defect{.kind = gpulab::DefectKind::out_of_bounds,
                                               .address = begin + room,
                                               .bytes = bytes - room,
                                               .memory = {begin, room}};
  defect.party.pc = reinterpret_cast<std::uintptr_t>(pc);
  defect.party.access = operation == Operation::load ? DefectAccess::load : DefectAccess::store;
  scheduler->fail_with(defect, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace

#pragma GCC visibility push(default)

#define GPULAB_CALLER __builtin_return_address(0)

#define GPULAB_HOOK(name, operation, bytes)                                                               \
  void __tsan_##name##bytes(void* address) {                                                              \
    before_plain_access(Operation::operation, address, bytes, GPULAB_CALLER, __builtin_frame_address(0)); \
  }
#define GPULAB_VOLATILE_HOOK(name, operation, bytes)                                          \
  void __tsan_##name##bytes(void* address) {                                                  \
    before_access(Operation::operation, address, bytes, GPULAB_CALLER, /*is_volatile=*/true); \
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

void gpulab_fence(int has_block_scope) {
  using gpulab::simulator::watch::Scope;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (BlockScheduler* const scheduler = scheduler_of_this_thread())  // else the host calls it
    scheduler->fence(has_block_scope ? Scope::block : Scope::device);
}

// Does the work of memcpy and memmove in the kernel file, word by word, so that other threads can run in
// between.
void* gpulab_copy(void* to, const void* from, std::size_t bytes, std::size_t room,
                  std::size_t room_of_source) {
  check_room(Operation::store, to, bytes, room, GPULAB_CALLER);
  check_room(Operation::load, from, bytes, room_of_source, GPULAB_CALLER);
  auto* const target = static_cast<char*>(to);
  auto* const source = static_cast<const char*>(from);
  const bool is_backward = target > source && target < source + bytes;
  for (std::size_t done = 0, piece = 0; done < bytes; done += piece) {
    const std::size_t remaining = bytes - done;
    const std::size_t at = is_backward ? remaining : done;
    const auto any_bits =
        reinterpret_cast<std::uintptr_t>(target + at) | reinterpret_cast<std::uintptr_t>(source + at);
    piece = remaining >= 4 && any_bits % 4 == 0 ? 4 : 1;
    const std::size_t offset = is_backward ? at - piece : at;
    before_copy(Operation::load, source + offset, piece, GPULAB_CALLER);
    before_copy(Operation::store, target + offset, piece, GPULAB_CALLER);
    std::memmove(target + offset, source + offset, piece);
  }
  return to;
}
void* gpulab_fill(void* to, int value, std::size_t bytes, std::size_t room) {
  check_room(Operation::store, to, bytes, room, GPULAB_CALLER);
  auto* const target = static_cast<char*>(to);
  for (std::size_t done = 0, piece = 0; done < bytes; done += piece) {
    piece = bytes - done >= 4 && reinterpret_cast<std::uintptr_t>(target + done) % 4 == 0 ? 4 : 1;
    before_copy(Operation::store, target + done, piece, GPULAB_CALLER);
    std::memset(target + done, value, piece);
  }
  return to;
}

// Reports the construction of an object in a checked kernel. In a counted one its members' stores are hooked.
void* gpulab_object(void* place, std::size_t bytes) {
  if (scheduler_of_this_thread()->is_checking()) before_range(Operation::store, place, bytes, GPULAB_CALLER);
  return place;
}

// Clang copies and clears structures by the following __tsan functions. Before version 15 it calls memcpy,
// memmove and memset instead, which the linker redirects to the __wrap functions.
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
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) __attribute__((alias("__tsan_memmove")));
void* __wrap_memset(void* to, int value, std::size_t bytes) __attribute__((alias("__tsan_memset")));
int __wrap_memcmp(const void* a, const void* b, std::size_t bytes) {
  before_range(Operation::load, a, bytes, GPULAB_CALLER);
  before_range(Operation::load, b, bytes, GPULAB_CALLER);
  return std::memcmp(a, b, bytes);
}

// Called before an atomic. The prelude's atomics are not hooked, since no switch may happen inside them. The
// traits are watch::AccessTraits.
void gpulab_before_atomic(void* address, std::size_t bytes, void* pc, unsigned traits,
                          std::uint64_t operand) {
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  // Without a scheduler, the host is the caller. Its system-scope atomics synchronise with kernels, as
  // volatile flags do.
  if (!scheduler)
    return before_access(traits & gpulab::simulator::watch::only_loads ? Operation::load : Operation::store,
                         address, bytes, pc, (traits & gpulab::simulator::watch::system_scope) != 0);
  if (traits & gpulab::simulator::watch::releases)
    gpulab_fence((traits & gpulab::simulator::watch::block_scope) != 0);
  scheduler->on_memory_access(
      {traits & gpulab::simulator::watch::only_loads ? Operation::load : Operation::atomic,
       reinterpret_cast<std::uintptr_t>(address), bytes, reinterpret_cast<std::uintptr_t>(pc),
       /*is_volatile=*/false, traits, operand});
}

void __tsan_vptr_update(void** place, void*) {
  before_access(Operation::store, place, sizeof(void*), GPULAB_CALLER);
}
void __tsan_vptr_read(void** place) {
  before_access(Operation::load, place, sizeof(void*), GPULAB_CALLER);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}
}

#pragma GCC visibility pop

// Checked kernels are compiled with -fsanitize=bounds,alignment,integer-divide-by-zero,return but without its
// run-time library: the compiler then calls these functions for an index outside an array of known size, a
// misaligned address, an integer division by 0, or the end of a function that returns no value. The
// structures are those of GCC (since 5) and Clang.

namespace {

struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};

struct TypeDescriptor {
  std::uint16_t kind;  // 0: an integer
  std::uint16_t info;  // for an integer: bit 0 is set if it is signed, the rest is log2 of its bits
  char name[1];        // in quotes, of any length
};

struct OutOfBounds {
  SourceLocation location;
  const TypeDescriptor *array, *index;
};

struct TypeMismatch {
  SourceLocation location;
  const TypeDescriptor* type;
  unsigned char log_alignment, check;
};

struct Division {
  SourceLocation location;
  const TypeDescriptor* type;
};

struct MissingReturn {
  SourceLocation location;  // of the function's name
};

long long value_of(const TypeDescriptor& type, std::uintptr_t bits) {
  const unsigned width = 1u << (type.info >> 1);
  if (width >= 64 || !(type.info & 1)) return static_cast<long long>(bits);
  return static_cast<long long>(bits << (64 - width)) >> (64 - width);
}

}  // namespace

namespace gpulab::simulator::schedule {
namespace {
HostDefectHandler host_defect_handler = nullptr;
}
void set_host_defect_handler(HostDefectHandler handler) {
  host_defect_handler = handler;
}
}  // namespace gpulab::simulator::schedule

namespace {

// Returns the line in the kernel file; 0 if the location is in the prelude. The line that calls the prelude
// is then found by the address of the code.
int line_of(const SourceLocation& location) {
  return std::string_view(location.file).find("prelude.cuh") == std::string_view::npos
             ? static_cast<int>(location.line)
             : 0;
}

// Returns "const float4" of 'const struct float4'.
std::string name_of(const TypeDescriptor& type) {
  std::string name = type.name;
  name.erase(0, 1).erase(std::min(name.find('\''), name.size()));
  constexpr std::string_view word = "struct ";
  if (const std::size_t at = name.find(word); at != std::string::npos) name.erase(at, word.size());
  return name;
}

// Ends the launch if called in a kernel. The host's code of a program continues.
void end_or_report(const gpulab::simulator::watch::FoundDefect& defect, const char* error) {
  if (BlockScheduler* const scheduler = scheduler_of_this_thread()) scheduler->fail_with(defect, error);
  if (gpulab::simulator::schedule::host_defect_handler)
    gpulab::simulator::schedule::host_defect_handler(defect);
}

}  // namespace

#pragma GCC visibility push(default)

#define GPULAB_PC reinterpret_cast<std::uintptr_t>(GPULAB_CALLER)

extern "C" {

void __ubsan_handle_out_of_bounds(OutOfBounds* what, std::uintptr_t index) {
  gpulab::simulator::watch::FoundDefect defect{.kind = gpulab::DefectKind::array_index};
  defect.party.line = line_of(what->location);
  defect.party.pc = GPULAB_PC;
  defect.index = value_of(*what->index, index);
  name_of(*what->array).copy(defect.detail, sizeof defect.detail - 1);
  end_or_report(defect, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

void __ubsan_handle_type_mismatch_v1(TypeMismatch* what, std::uintptr_t address) {
  gpulab::simulator::watch::FoundDefect defect{.kind = gpulab::DefectKind::misaligned, .address = address};
  defect.party.line = line_of(what->location);
  defect.party.pc = GPULAB_PC;
  const std::string type = name_of(*what->type);
  const auto past = address % (std::uintptr_t{1} << what->log_alignment);
  defect.is_note = type.ends_with("matrix_in_memory") && past == 16;  // headers/wmma.cuh
  std::snprintf(defect.detail, sizeof defect.detail, "a %s at an address %d bytes past a multiple of %d (%s)",
                defect.is_note ? "fragment's matrix" : type.c_str(), static_cast<int>(past),
                1 << what->log_alignment,
                defect.is_note ? "CUDA asks for it, though GPUs take a multiple of 16" : "its alignment");
  if (BlockScheduler* const scheduler = scheduler_of_this_thread(); scheduler && defect.is_note)
    return scheduler->add(defect);
  end_or_report(defect, "CUDA_ERROR_MISALIGNED_ADDRESS");
}

// Called only for a divisor of 0, since overflow is not checked.
void __ubsan_handle_divrem_overflow(Division* what, std::uintptr_t, std::uintptr_t) {
  gpulab::simulator::watch::FoundDefect defect{.kind = gpulab::DefectKind::division_by_zero};
  defect.party.line = line_of(what->location);
  defect.party.pc = GPULAB_PC;
  end_or_report(defect, "CUDA_ERROR_LAUNCH_FAILED");
}

// Does not return: the code behind the call belongs to the next function.
[[noreturn]] void __ubsan_handle_missing_return(MissingReturn* what) {
  const int line = line_of(what->location);
  if (BlockScheduler* const scheduler = scheduler_of_this_thread())
    scheduler->fail({"CUDA_ERROR_LAUNCH_FAILED",
                     fmt::format("the function in line {} has a result, but ends without a return in {}",
                                 line, scheduler->running_thread()),
                     {.line = line}});
  if (gpulab::simulator::schedule::host_defect_handler) {
    gpulab::simulator::watch::FoundDefect defect{.kind = gpulab::DefectKind::other};
    defect.party.line = line;
    defect.party.pc = GPULAB_PC;
    gpulab::simulator::schedule::host_defect_handler(defect);
  }
  std::abort();
}
}

#pragma GCC visibility pop
