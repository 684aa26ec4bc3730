#include "simulator/schedule/hooks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <thread>

#include "simulator/schedule/fibers.hpp"

// The symbols that prelude/device_calls.cuh declares. Kernels are compiled into shared objects, which find
// them in the program.

using gpulab::LaneMask;
using gpulab::WarpSize;
using gpulab::simulator::schedule::BlockScheduler;
using gpulab::simulator::schedule::scheduler_of_this_thread;

namespace gpulab::simulator::schedule {
namespace {

constexpr std::uintptr_t no_page = ~std::uintptr_t{0};

// Returns the length of a text, up to the first byte that is not mapped. The system is not asked about
// `known_page`, the number of a page that was found to be mapped; the text's last page is stored there.
std::size_t readable_length(const char* text, std::size_t max_length, std::uintptr_t& known_page) {
  static const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t length = 0; length < max_length; ++length) {
    const std::uintptr_t page = (reinterpret_cast<std::uintptr_t>(text) + length) / page_bytes;
    unsigned char is_resident = 0;
    if (page != known_page && ::mincore(reinterpret_cast<void*>(page * page_bytes), 1, &is_resident) != 0)
      return length;
    known_page = page;
    if (text[length] == '\0') return length;
  }
  return max_length;
}

// Formats one number by a conversion such as "%-8.3f".
int format_number(std::span<char> to, const std::string& conversion, std::va_list& arguments) {
  const bool is_long = conversion.find_first_of("lzjt") != std::string::npos;
  switch (conversion.back()) {
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return std::snprintf(to.data(), to.size(), conversion.c_str(), va_arg(arguments, double));
    case 'p':
      return std::snprintf(to.data(), to.size(), conversion.c_str(), va_arg(arguments, void*));
    default:
      if (is_long)
        return std::snprintf(to.data(), to.size(), conversion.c_str(), va_arg(arguments, long long));
      return std::snprintf(to.data(), to.size(), conversion.c_str(), va_arg(arguments, int));
  }
}

struct Formatted {
  std::size_t bytes = 0;
  int arguments = 0;  // that were read
};

// Formats like printf, except that an invalid pointer to a format or a text does no harm. Output that does
// not fit is cut off.
Formatted format_text(std::span<char> to, const char* format, std::va_list& arguments) {
  std::size_t written = 0;
  int arguments_read = 0;
  const auto put = [&](const char* text, std::size_t length) {
    length = std::min(length, to.size() - written);
    std::memcpy(to.data() + written, text, length);
    written += length;
  };
  // The page is kept between calls, since threads print the same format again and again.
  thread_local std::uintptr_t page_of_formats = no_page;
  const char* const end = format + readable_length(format, 4096, page_of_formats);
  for (const char* at = format; at < end;) {
    const char* const percent = std::find(at, end, '%');
    put(at, static_cast<std::size_t>(percent - at));
    if (percent == end) break;
    const char* last = percent + 1;
    std::string conversion = "%";
    for (; last < end && std::strchr("-+ #0123456789.*lhzjt", *last); ++last)
      conversion += *last == '*' ? std::to_string(va_arg(arguments, int)) : std::string(1, *last);
    if (last == end) break;
    conversion += *last;
    at = last + 1;
    arguments_read += *last != '%';
    if (*last == '%') {
      put("%", 1);
    } else if (*last == 's') {
      const char* const text = va_arg(arguments, const char*);
      char padded[256];
      std::uintptr_t known_page = no_page;
      const std::string copy(text, readable_length(text, sizeof padded - 1, known_page));
      const int length = std::snprintf(padded, sizeof padded, conversion.c_str(), copy.c_str());
      put(padded, std::min<std::size_t>(static_cast<std::size_t>(std::max(0, length)), sizeof padded - 1));
    } else if (std::strchr("diouxXceEfFgGaAp", *last)) {
      char number[512];
      const int length = format_number(number, conversion, arguments);
      put(number, std::min<std::size_t>(static_cast<std::size_t>(std::max(0, length)), sizeof number - 1));
    } else {
      put(percent, static_cast<std::size_t>(at - percent));
    }
  }
  return {written, arguments_read};
}

}  // namespace

void fail_assertion(const char* condition, int line, const void* pc) {
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  const auto address = reinterpret_cast<std::uintptr_t>(pc);
  if (!scheduler->is_checking()) {
    const std::string file = watch::other_file(watch::source_line(address - 1));
    scheduler->fail({"CUDA_ERROR_ASSERT",
                     fmt::format("an assertion failed in {}: '{}' is false in {}", line_text(line, file),
                                 condition, scheduler->running_thread()),
                     {.kind = DefectKind::failed_assertion, .line = line, .file = file}});
  }
  watch::FoundDefect defect{.kind = DefectKind::failed_assertion, .party = {.pc = address, .line = line}};
  std::snprintf(defect.detail, sizeof defect.detail, "'%s'", condition);
  scheduler->fail_with(defect, "CUDA_ERROR_ASSERT");
}

}  // namespace gpulab::simulator::schedule

#pragma GCC visibility push(default)

#define GPULAB_CALLER __builtin_return_address(0)

namespace {

// Returns the scheduler of the running thread, and lets it note the return address of the kernel's call.
BlockScheduler& called_at(const void* pc) {
  BlockScheduler& scheduler = *scheduler_of_this_thread();
  scheduler.note_call(pc);
  return scheduler;
}

}  // namespace

extern "C" {
__thread gpulab::simulator::schedule::Index threadIdx, blockIdx, blockDim, gridDim;
__thread gpulab::simulator::schedule::Ring gpulab_ring;
__thread gpulab::simulator::schedule::LoopTurn gpulab_loop_turn;
__thread std::uintptr_t gpulab_shared_begin, gpulab_shared_bytes;
}

extern "C" int gpulab_barrier(int predicate, int position) {
  return called_at(GPULAB_CALLER).barrier(predicate != 0, position);
}

extern "C" void gpulab_grid_barrier(int line) {
  called_at(GPULAB_CALLER).grid_barrier(line);
}

extern "C" int gpulab_is_cooperative() {
  return scheduler_of_this_thread()->launch().config.cooperative;
}

extern "C" std::uint64_t gpulab_shuffle(std::uint64_t mask, std::uint64_t mine, unsigned source, int line) {
  return called_at(GPULAB_CALLER).exchange(mask, mine, source, nullptr, line);
}

extern "C" std::uint64_t gpulab_active_mask(int line) {
  return called_at(GPULAB_CALLER).active_mask(line);
}

namespace {

enum class Reduction { add, min, max, min_unsigned, max_unsigned, all_bits, any_bit, odd_bits };

std::uint32_t combined(Reduction operation, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  switch (operation) {
    case Reduction::add:
      return a + b;
    case Reduction::min:
      return x < y ? a : b;
    case Reduction::max:
      return x > y ? a : b;
    case Reduction::min_unsigned:
      return a < b ? a : b;
    case Reduction::max_unsigned:
      return a > b ? a : b;
    case Reduction::all_bits:
      return a & b;
    case Reduction::any_bit:
      return a | b;
    default:  // odd_bits
      return a ^ b;
  }
}

}  // namespace

// Returns the lanes of the mask whose value satisfies is_wanted.
template <class IsWanted>
LaneMask lanes_where(BlockScheduler& scheduler, LaneMask mask, std::uint64_t mine, int line,
                     const IsWanted& is_wanted) {
  std::uint64_t lanes[WarpSize::max_lanes];
  mask &= scheduler.exchange(mask, mine, 0, lanes, line);
  LaneMask found = 0;
  for (LaneMask remaining = mask; remaining; remaining &= remaining - 1)
    if (is_wanted(lanes[std::countr_zero(remaining)])) found |= remaining & ~(remaining - 1);
  return found;
}

extern "C" std::uint64_t gpulab_ballot(std::uint64_t mask, int predicate, int line) {
  return lanes_where(called_at(GPULAB_CALLER), mask, predicate != 0, line,
                     [](std::uint64_t theirs) { return theirs != 0; });
}

extern "C" std::uint64_t gpulab_match(std::uint64_t mask, std::uint64_t mine, int line) {
  return lanes_where(called_at(GPULAB_CALLER), mask, mine, line,
                     [mine](std::uint64_t theirs) { return theirs == mine; });
}

extern "C" std::uint32_t gpulab_reduce(std::uint64_t mask, std::uint32_t mine, int operation, int line) {
  std::uint64_t lanes[WarpSize::max_lanes];
  mask &= called_at(GPULAB_CALLER).exchange(mask, mine, 0, lanes, line);
  std::uint32_t result = 0;
  bool is_first = true;
  for (LaneMask remaining = mask; remaining; remaining &= remaining - 1) {
    const auto theirs = static_cast<std::uint32_t>(lanes[std::countr_zero(remaining)]);
    result = is_first ? theirs : combined(static_cast<Reduction>(operation), result, theirs);
    is_first = false;
  }
  return result;
}

extern "C" std::uint64_t gpulab_lanes(std::uint64_t mine, std::uint64_t* lanes, int line) {
  BlockScheduler& scheduler = called_at(GPULAB_CALLER);
  return scheduler.exchange(scheduler.warp_size().all_lanes(), mine, 0, lanes, line);
}

extern "C" void gpulab_named_barrier(unsigned number, unsigned threads, int waits, int line) {
  called_at(GPULAB_CALLER).named_barrier(number, threads, waits != 0, line);
}

extern "C" void gpulab_idle_atomic(const void* address, std::size_t bytes, std::uint64_t operand, void* pc) {
  if (BlockScheduler* const scheduler = scheduler_of_this_thread())  // else the host calls it
    scheduler->after_unchanging_atomic(address, bytes, operand, pc);
}

extern "C" void gpulab_sleep() {
  if (BlockScheduler* const scheduler = scheduler_of_this_thread())
    scheduler->let_others_run();
  else
    std::this_thread::yield();
}

extern "C" long long gpulab_clock() {
  if (const auto time = scheduler_of_this_thread()->reproducible_clock()) return *time;
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

extern "C" void* gpulab_malloc(std::size_t bytes) {
  return scheduler_of_this_thread()->device_malloc(bytes, GPULAB_CALLER);
}

extern "C" void gpulab_free(void* memory) {
  scheduler_of_this_thread()->device_free(memory, GPULAB_CALLER);
}

extern "C" void gpulab_assertion_failed(const char* condition, int line) {
  gpulab::simulator::schedule::fail_assertion(condition, line, GPULAB_CALLER);
}

extern "C" void gpulab_trap() {
  scheduler_of_this_thread()->fail({"CUDA_ERROR_LAUNCH_FAILED",
                                    "__trap() was called by " + scheduler_of_this_thread()->running_thread(),
                                    {.kind = gpulab::DefectKind::trapped}});
}

extern "C" int gpulab_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int arguments_read = gpulab::simulator::schedule::print_from_kernel(format, arguments, GPULAB_CALLER);
  va_end(arguments);
  return arguments_read;
}

#pragma GCC visibility pop

namespace gpulab::simulator::schedule {
namespace {

// Replaces control characters, which a terminal obeys, except line ends and tabs. In UTF-8, control
// characters of two bytes (U+0080 to U+009F) begin with 0xC2.
void replace_control_characters(std::span<char> text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto letter = static_cast<unsigned char>(text[i]);
    const bool is_second_byte =
        i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC2 && letter >= 0x80 && letter < 0xA0;
    if ((letter < ' ' && letter != '\n' && letter != '\t' && letter != '\r') || letter == 127) text[i] = '?';
    if (is_second_byte) text[i - 1] = text[i] = '?';
  }
}

}  // namespace

int print_from_kernel(const char* text_format, std::va_list& arguments, const void* pc) {
  char text[1024];
  const Formatted formatted = format_text(text, text_format, arguments);
  replace_control_characters({text, formatted.bytes});
  scheduler_of_this_thread()->print({text, formatted.bytes}, pc);
  return formatted.arguments;
}

void set_grid_and_block(const LaunchConfig& config, const Extent& block_index) {
  gridDim = {config.grid.x, config.grid.y, config.grid.z};
  blockDim = {config.block.x, config.block.y, config.block.z};
  blockIdx = {block_index.x, block_index.y, block_index.z};
}

namespace {
std::FILE* output_of_kernels = nullptr;
}

void set_kernel_output(std::FILE* file) {
  output_of_kernels = file;
}

std::FILE* kernel_output() {
  return output_of_kernels;
}

void set_shared_memory(const char* begin, std::size_t bytes) {
  gpulab_shared_begin = reinterpret_cast<std::uintptr_t>(begin);
  gpulab_shared_bytes = bytes;
}

bool is_in_shared_memory(std::uintptr_t address) {
  return address - gpulab_shared_begin < gpulab_shared_bytes;
}

watch::AddressRange index_variables() {
  const auto [first, last] =
      std::minmax({reinterpret_cast<std::uintptr_t>(&threadIdx), reinterpret_cast<std::uintptr_t>(&blockIdx),
                   reinterpret_cast<std::uintptr_t>(&blockDim), reinterpret_cast<std::uintptr_t>(&gridDim),
                   reinterpret_cast<std::uintptr_t>(&gpulab_shared_begin),
                   reinterpret_cast<std::uintptr_t>(&gpulab_shared_bytes)});
  return {first, last - first + sizeof(Index)};
}

Extent current_block_index() {
  return {blockIdx.x, blockIdx.y, blockIdx.z};
}
Extent current_thread_index() {
  return {threadIdx.x, threadIdx.y, threadIdx.z};
}

}  // namespace gpulab::simulator::schedule
