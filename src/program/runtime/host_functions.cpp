#include "program/runtime/call.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <unwind.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <ostream>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "device/symbols.hpp"
#include "simulator/schedule/hooks.hpp"
#include "simulator/watch/reserved_array.hpp"
#include "source/code.hpp"

// Functions of the C library that a program calls on both sides (host_compiler.cpp lists them). In a kernel
// they call the device's version, on the host the library's. They remember the sizes of allocated blocks, so
// that a copy past the end of a block is found.

namespace gpulab::program::runtime {
namespace {

using simulator::schedule::scheduler_of_this_thread;

// Bytes behind a block of the host, which the program must not change.
constexpr unsigned char untouched = 0xA5;

// Returns whether the address can be read. Memory that a library has given back cannot.
bool is_mapped(std::uintptr_t address) {
  constexpr std::uintptr_t page = 4096;
  unsigned char is_resident = 0;
  return ::mincore(reinterpret_cast<void*>(address / page * page), 1, &is_resident) == 0;
}

// Returns whether malloc's data before a block can be read.
bool has_header(std::uintptr_t begin) {
  constexpr std::uintptr_t header = 16;
  return is_mapped(begin - header);
}

struct HostBlock {
  std::size_t bytes = 0;
  const Site* site = nullptr;
  std::size_t guard_bytes = 0;

  // Returns whether the program has written past its end, perhaps so far that malloc no longer knows it.
  bool is_overrun(std::uintptr_t begin) const {
    const auto* const guard = reinterpret_cast<const unsigned char*>(begin + bytes);
    if (guard_bytes == 0 || !has_header(begin) || !is_mapped(begin + bytes + guard_bytes)) return false;
    return (may_be_at(begin) || ::malloc_usable_size(reinterpret_cast<void*>(begin)) == 0) &&
           std::any_of(guard, guard + guard_bytes, [](unsigned char byte) { return byte != untouched; });
  }

  // Returns whether malloc's block there may still be this one: a library frees and allocates unseen.
  bool may_be_at(std::uintptr_t begin) const {
    constexpr std::size_t page = 4096;  // a larger block may be rounded up to whole pages
    const std::size_t usable = ::malloc_usable_size(reinterpret_cast<void*>(begin));
    const std::size_t all = bytes + guard_bytes;
    return usable >= all && usable - all < (all < page ? 64 : 2 * page);
  }
};

// Blocks of the host's heap. There may be millions of small ones, such as list nodes. They are in a table
// with one slot for each hash, and a block whose slot is taken is not remembered.
class HostBlocks {
 public:
  void add(void* block, std::size_t bytes, const void* returns_to, std::size_t guard_bytes) {
    constexpr std::size_t max_sites = 100'000;  // to look up with their callers, which takes time
    const auto begin = address_of(block);
    if (!block || bytes == 0) return;
    const Site caller{address_of(returns_to)};
    const Site site = bytes >= small && looked_up_sites_++ < max_sites ? site_of_call(returns_to) : caller;
    const std::lock_guard lock(mutex_);
    auto freed = freed_.lower_bound(begin);
    if (freed != freed_.begin() && std::prev(freed)->first + std::prev(freed)->second.bytes > begin) --freed;
    while (freed != freed_.end() && freed->first < begin + bytes) freed = freed_.erase(freed);
    if (bytes >= small)
      large_[begin] = {bytes, &*known_sites_.insert(site).first, guard_bytes};
    else if (SmallBlock& known = slot_for(begin); known.begin == 0 || known.begin == begin)
      known = {begin, bytes, caller.pc};
  }
  // Forgets a block that malloc still knows, or null. Returns the block if the program has written past its
  // end.
  std::optional<HostBlock> remove(void* block, const void* returns_to) {
    const std::lock_guard lock(mutex_);
    const auto begin = address_of(block);
    if (SmallBlock& known = slot_for(begin); known.begin == begin) {
      known = {};
      return std::nullopt;
    }
    const auto found = large_.find(begin);
    if (found == large_.end() || !has_header(begin) || ::malloc_usable_size(block) < small)
      return std::nullopt;
    const HostBlock removed = found->second;
    const bool is_overrun = removed.is_overrun(begin);
    constexpr std::size_t max_freed = 256;
    if (freed_.size() < max_freed) freed_[begin] = {removed.bytes, {address_of(returns_to)}};
    large_.erase(found);
    return is_overrun ? std::optional(removed) : std::nullopt;
  }
  // Returns the freed block that had the address, with the call that freed it.
  std::optional<HostMemory> freed_at(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto after = freed_.upper_bound(address);
    if (after == freed_.begin() || address - std::prev(after)->first >= std::prev(after)->second.bytes)
      return std::nullopt;
    const auto& [bytes, site] = std::prev(after)->second;
    return HostMemory{bytes, "the " + grouped(bytes) + " bytes that the host allocated", site};
  }
  // Returns the blocks past whose end the program has written.
  std::vector<HostBlock> overrun() {
    const std::lock_guard lock(mutex_);
    std::vector<HostBlock> found;
    for (const auto& [begin, block] : large_)
      if (block.is_overrun(begin)) found.push_back(block);
    return found;
  }
  std::optional<HostMemory> at(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    for (std::uintptr_t begin = address & -unit; address - begin < small && begin > 0; begin -= unit)
      if (const SmallBlock& known = slot_for(begin); known.begin == begin && address - begin < known.bytes) {
        const Site site{known.returns_to};
        return memory_in(begin, {known.bytes, &site}, address);
      }
    const auto after = large_.upper_bound(address);
    if (after == large_.begin()) return std::nullopt;
    return memory_in(std::prev(after)->first, std::prev(after)->second, address);
  }

 private:
  struct SmallBlock {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::uintptr_t returns_to = 0;
  };
  static constexpr std::size_t small = 64, slots = std::size_t{1} << 20;
  static constexpr std::uintptr_t unit = 16;  // malloc's blocks begin at multiples of it

  // Neighbours in memory are neighbours in the table, for the CPU's caches.
  SmallBlock& slot_for(std::uintptr_t begin) const {
    return small_[(begin / unit + begin / unit / slots) % slots];
  }
  static std::optional<HostMemory> memory_in(std::uintptr_t begin, const HostBlock& block,
                                             std::uintptr_t address) {
    const std::size_t offset = address - begin;
    if (offset >= block.bytes || !block.may_be_at(begin)) return std::nullopt;
    return HostMemory{block.bytes - offset,
                      (offset > 0 ? "byte " + grouped(offset) + " of " : std::string()) + "the " +
                          grouped(block.bytes) + " bytes that the host allocated",
                      *block.site};
  }

  std::atomic<std::size_t> looked_up_sites_ = 0;
  std::mutex mutex_;
  std::set<Site> known_sites_;
  simulator::watch::ReservedArray<SmallBlock> small_{slots, simulator::watch::ReservedBytes::Use::sparse};
  std::map<std::uintptr_t, HostBlock> large_;
  struct FreedBlock {
    std::size_t bytes = 0;
    Site freed = {};
  };
  std::map<std::uintptr_t, FreedBlock> freed_;
};

HostBlocks& blocks() {
  static HostBlocks* const all = new HostBlocks;  // never destroyed: blocks are freed until the process ends
  return *all;
}

// Returns the bytes to allocate for a block with its guard, or just the block's. The guard of a small block
// has room for the elements of a block whose size counts them in place of bytes, so that they spare malloc's
// data.
std::size_t with_guard(std::size_t bytes) {
  constexpr std::size_t small = 64, large = std::size_t{1} << 40, shortest = 16,
                        longest = 96 * 1024,  // from 128 KiB on, a block is no part of the heap
      most = std::size_t{64} << 20;
  static std::atomic<std::size_t> all = 0;  // in long guards
  if (!Runtime::instance().is_watching() || bytes < small || bytes >= large) return bytes;
  const std::size_t longer = 7 * bytes;  // elements of at most 8 bytes
  if (longer > longest || all.fetch_add(longer) + longer > most) return bytes + shortest;
  return bytes + longer + shortest;
}

// Notes the block that was allocated, sets its guard if there is room for one, and returns it.
void* remembered(void* block, std::size_t bytes, const void* returns_to, std::size_t allocated = 0) {
  const std::size_t guard_bytes = block && allocated > bytes ? allocated - bytes : 0;
  if (guard_bytes > 0) std::memset(static_cast<char*>(block) + bytes, untouched, guard_bytes);
  if (Runtime::instance().is_watching()) blocks().add(block, bytes, returns_to, guard_bytes);
  return block;
}

void report_overrun(Runtime& runtime, const HostBlock& block, const void* returns_to) {
  ProgramFinding finding{.pattern = "array-index",
                         .place = place_of(*block.site),
                         .text = "the host's code has written past the end of the " + grouped(block.bytes) +
                                 " bytes that it allocates here"};
  if (returns_to)
    finding.others.push_back({place_of({address_of(returns_to)}), "before they are freed here"});
  runtime.add(std::move(finding));
}

// Returns the global variable that contains the address. Files without a table of symbols name none.
std::optional<HostMemory> global_variable_at(std::uintptr_t address) {
  Dl_info object{};
  if (!::dladdr(reinterpret_cast<void*>(address), &object) || !object.dli_fname) return std::nullopt;
  static std::map<std::string, std::vector<device::ElfSymbol>>* const symbols_of =
      new std::map<std::string, std::vector<device::ElfSymbol>>;  // never destroyed, like the blocks
  const std::size_t value = address - address_of(object.dli_fbase);
  try {
    const auto [file, is_new] = symbols_of->try_emplace(object.dli_fname);
    if (is_new) file->second = device::elf_symbols(object.dli_fname);
    for (const device::ElfSymbol& symbol : file->second)
      if (symbol.kind == device::ElfSymbol::Kind::object && value - symbol.value < symbol.bytes)
        return HostMemory{symbol.value + symbol.bytes - value,
                          fmt::format("the variable {} of {} bytes", device::demangled_name(symbol.name),
                                      grouped(symbol.bytes))};
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

// A search for the frame of this thread's stack that contains an address. At each step the frame of one
// function ends, and the frame of its caller begins there.
struct FrameSearch {
  std::uintptr_t address, begins = 0, ends = 0;
};

_Unwind_Reason_Code look_in_frame(_Unwind_Context* context, void* data) {
  FrameSearch& search = *static_cast<FrameSearch*>(data);
  search.begins = std::exchange(search.ends, ::_Unwind_GetCFA(context));
  return search.ends > search.address ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// An argument of this thread's current call: memory whose size the compiler knows.
struct KnownMemory {
  std::uintptr_t begin = 0;
  std::size_t room = 0;
};
thread_local std::array<KnownMemory, 2> known_to_compiler;

// Returns the part of the stack from the address to the end of its variable. If the compiler does not know
// that end, it is the end of the function's frame.
std::optional<HostMemory> stack_frame_at(std::uintptr_t address) {
  constexpr std::size_t far = std::size_t{64} << 20;
  if (address - Call::frame_of_this_thread() >= far) return std::nullopt;
  for (const auto& [begin, room] : known_to_compiler)
    if (begin == address && room != static_cast<std::size_t>(-1))
      return HostMemory{room, "the " + grouped(room) + " bytes of a variable in a function of the host"};
  FrameSearch search{address};
  ::_Unwind_Backtrace(look_in_frame, &search);
  constexpr std::size_t return_address = sizeof(void*);
  if (search.begins > address || address + return_address >= search.ends) return std::nullopt;
  return HostMemory{.room = search.ends - return_address - address,
                    .name = "a variable in a function of the host",
                    .is_exact = false};
}

using simulator::schedule::host_accesses;
using Operation = simulator::watch::MemoryAccess::Operation;

void on_clock(const void* returns_to) {
  if (Runtime::instance().is_watching()) Runtime::instance().on_clock({address_of(returns_to)});
}

// Returns whether the user may open the file in that mode, or make it in its folder.
bool may_user_open(const char* name, const char* mode) {
  if (*mode == 'r') return ::access(name, R_OK) == 0;
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  return ::access(name, W_OK) == 0 || ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

// Opens the file by the C library's function. Notes a file that the user may open but the sandbox refuses.
std::FILE* open_file(const char* function, const char* name, const char* mode, const void* returns_to) {
  using Function = std::FILE* (*)(const char*, const char*);
  std::FILE* const file = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, function))(name, mode);
  const int error = errno;
  if (!file && error == EACCES && Runtime::exists() && may_user_open(name, mode)) {
    const auto lock = Runtime::instance().take_lock();
    Dl_info caller = {};
    const bool is_stream = ::dladdr(returns_to, &caller) != 0 && caller.dli_fname &&
                           std::string_view(caller.dli_fname).find("/libstdc++.") != std::string_view::npos;
    Runtime::instance().report_refused_file(
        fmt::format("opening {}; keep its files in the folder in which it runs", name),
        is_stream ? site_in_program(0) : site_of_call(returns_to));
  }
  errno = error;
  return file;
}

// Forgets a block that is freed, and reports memory of the runtime. Returns whether the library may free it.
bool may_free(void* block, const void* returns_to, const char* name) {
  Runtime& runtime = Runtime::instance();
  const auto lock = runtime.take_lock();
  const Allocation* const found = runtime.allocations().at(block);
  const bool is_of_malloc = !found || found->kind == MemoryKind::registered;
  if (runtime.is_watching() && is_of_malloc)
    if (const auto overrun = blocks().remove(block, returns_to))
      report_overrun(runtime, *overrun, returns_to);
  const auto begin = address_of(block);
  const bool is_of_library = name == std::string_view("free");  // a program may have an operator delete
  if (!found && is_of_library && runtime.is_watching() &&
      (begin % alignof(std::max_align_t) != 0 || !has_header(begin))) {
    runtime.report_fault(simulator::watch::no_address, {address_of(returns_to)},
                         /*is_own=*/true, /*is_store=*/{});
    return false;
  }
  if (!found) return true;
  if (found->kind == MemoryKind::registered) {
    runtime.note_host_free(*found, address_of(returns_to));
    if (!found->is_freed && runtime.sticky_error() == cudaSuccess)  // otherwise no call could unlock it
      runtime.add({.pattern = "foreign-free",
                   .place = place_of({address_of(returns_to)}),
                   .text = std::string(name) +
                           " frees memory that is still page-locked for the device: " + found->name(),
                   .correction = "cudaHostUnregister(pointer) before it is freed",
                   .others = {{place_of(found->site), "it was page-locked here"}}});
    return !runtime.is_watching();  // pending work may still use it
  }
  runtime.allocations().containing(found->begin)->is_freed_wrongly = true;
  runtime.add({.pattern = "foreign-free",
               .place = place_of({address_of(returns_to)}),
               .text = std::string(name) + " is given " + found->name(),
               .correction = found->kind == MemoryKind::pinned ? "cudaFreeHost(...)" : "cudaFree(...)",
               .others = {allocated_at(*found)}});
  return false;
}

}  // namespace

void report_overrun_blocks(Runtime& runtime) {
  for (const HostBlock& block : blocks().overrun()) report_overrun(runtime, block, nullptr);
}

bool is_in_ended_frame(std::uintptr_t address, std::thread::id thread) {
  constexpr std::uintptr_t max_bytes = std::uintptr_t{1} << 20;
  const std::uintptr_t below = Call::frame_of_this_thread() - address;
  return std::this_thread::get_id() == thread && below > 0 && below < max_bytes;
}

std::optional<HostMemory> freed_host_memory_at(std::uintptr_t address) {
  // A library may give the program memory that it has allocated unseen, where a block was before.
  const source::Code& code = Runtime::instance().code();
  static const bool may_be_of_library =
      std::ranges::any_of(code.tokens(), [](const source::CodeToken& token) {
        return token.text.find("str") != token.text.npos ||
               is_one_of(token.text, {"getline", "asprintf", "Mat", "realpath"});
      });
  return may_be_of_library ? std::nullopt : blocks().freed_at(address);
}

std::optional<HostMemory> host_memory_at(std::uintptr_t address) {
  if (auto block = blocks().at(address)) return block;
  if (auto variable = global_variable_at(address)) return variable;
  return stack_frame_at(address);
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)

extern "C" {

// assert.h declares it only if assertions are on.
[[noreturn]] void __assert_fail(const char* condition, const char* file, unsigned line,
                                const char* function) noexcept;
long long gpulab_clock();

void gpulab_set_known_sizes(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) {
  known_to_compiler = {{{address_of(to), to_bytes}, {address_of(from), from_bytes}}};
}

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
#define GPULAB_NOW(clock)                                        \
  std::int64_t __wrap__ZNSt6chrono3_V212##clock##3nowEv() {      \
    on_clock(__builtin_return_address(0));                       \
    return std::chrono::clock::now().time_since_epoch().count(); \
  }
GPULAB_NOW(steady_clock)
GPULAB_NOW(system_clock)

// Replace the C library's functions.
int system(const char* command) {
  errno = 0;
  const int status = reinterpret_cast<int (*)(const char*)>(::dlsym(RTLD_NEXT, "system"))(command);
  if ((errno == EPERM || errno == EACCES) && Runtime::exists()) {  // of the shell itself
    const auto lock = Runtime::instance().take_lock();
    Runtime::instance().report_refused_file(fmt::format("running \"{}\"; run it before", command),
                                            site_of_call(__builtin_return_address(0)));
  }
  return status;
}
std::FILE* fopen(const char* name, const char* mode) {
  return open_file("fopen", name, mode, __builtin_return_address(0));
}
std::FILE* fopen64(const char* name, const char* mode) {
  return open_file("fopen64", name, mode, __builtin_return_address(0));
}

void* __wrap_malloc(std::size_t bytes) {
  if (auto* const scheduler = scheduler_of_this_thread())
    return scheduler->device_malloc(bytes, __builtin_return_address(0));
  const std::size_t all = with_guard(bytes);
  return remembered(std::malloc(all), bytes, __builtin_return_address(0), all);
}

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  const std::size_t all = with_guard(count * bytes);
  const bool has_guard = all > count * bytes && all / bytes >= count;  // so the product does not wrap round
  return remembered(has_guard ? std::calloc(1, all) : std::calloc(count, bytes), count * bytes,
                    __builtin_return_address(0), has_guard ? all : 0);
}

void* __wrap_realloc(void* block, std::size_t bytes) {
  if (Runtime::instance().is_watching()) blocks().remove(block, __builtin_return_address(0));
  return remembered(std::realloc(block, bytes), bytes, __builtin_return_address(0));
}

void __wrap_free(void* block) {
  if (auto* const scheduler = scheduler_of_this_thread())
    return scheduler->device_free(block, __builtin_return_address(0));
  if (block && may_free(block, __builtin_return_address(0), "free")) std::free(block);
}

void* __wrap__Znwm(std::size_t bytes) {
  if (auto* const scheduler = scheduler_of_this_thread())
    return scheduler->device_malloc(bytes, __builtin_return_address(0));
  return remembered(::operator new(bytes), bytes, __builtin_return_address(0));
}

void* __wrap__Znam(std::size_t bytes) {
  if (auto* const scheduler = scheduler_of_this_thread())
    return scheduler->device_malloc(bytes, __builtin_return_address(0));
  const std::size_t all = with_guard(bytes);
  return remembered(::operator new[](all), bytes, __builtin_return_address(0), all);
}

#define GPULAB_DELETE(name, word, ...)                                                        \
  void name(void* block __VA_OPT__(, ) __VA_ARGS__) {                                         \
    if (auto* const scheduler = scheduler_of_this_thread())                                   \
      return scheduler->device_free(block, __builtin_return_address(0));                      \
    if (block && may_free(block, __builtin_return_address(0), #word)) ::operator word(block); \
  }
GPULAB_DELETE(__wrap__ZdlPv, delete)
GPULAB_DELETE(__wrap__ZdlPvm, delete, std::size_t)
GPULAB_DELETE(__wrap__ZdaPv, delete[])
GPULAB_DELETE(__wrap__ZdaPvm, delete[], std::size_t)
}

#pragma GCC visibility pop
