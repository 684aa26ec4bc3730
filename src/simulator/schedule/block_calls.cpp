#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "simulator/memory.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/hooks.hpp"
#include "simulator/schedule/launch.hpp"

namespace gpulab::simulator::schedule {

// The scheduler at a kernel's calls of malloc(), printf() and clock64(), and at its launches of other
// kernels.

namespace {

constexpr std::size_t max_kept_bytes = std::size_t{1} << 20;     // of a launch: a GPU's printf buffer
constexpr std::size_t max_printed_bytes = std::size_t{1} << 25;  // of a launch: more counts as endless

}  // namespace

// ---- The heap ---------------------------------------------------------------------------------------------

void* BlockScheduler::device_malloc(std::size_t bytes, const void* pc) {
  const auto caller = reinterpret_cast<std::uintptr_t>(pc);
  const std::uintptr_t memory = launch_->heap ? launch_->heap->allocate(bytes, caller) : 0;
  if (memory != 0 && is_checking()) watchers_.checker()->on_malloc({memory, bytes});
  return reinterpret_cast<void*>(memory);
}

void BlockScheduler::device_free(void* memory, const void* pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (address == 0 || !launch_->heap) return;
  if (const auto block = launch_->heap->free(address)) {
    if (is_checking()) watchers_.checker()->on_free(block->range);
    return;
  }
  const auto near = launch_->heap->block_near(address);
  const bool is_freed = near && near->range.begin == address;
  const char* const what = is_freed ? "memory that was freed before" : "memory that malloc() did not return";
  if (!is_checking())
    fail({"CUDA_ERROR_LAUNCH_FAILED",
          fmt::format("a free() of {}, {}", what, running_thread()),
          {.kind = DefectKind::bad_free}});
  watch::FoundDefect defect{.kind = DefectKind::bad_free, .address = address};
  defect.party.pc = reinterpret_cast<std::uintptr_t>(pc);
  std::strncpy(defect.detail, what, sizeof defect.detail - 1);
  fail_with(defect, "CUDA_ERROR_LAUNCH_FAILED");
}

// ---- Launches by the kernel -------------------------------------------------------------------------------

void BlockScheduler::configure_child(const LaunchConfig& config, std::uintptr_t stream,
                                     std::uintptr_t issued_at) {
  children_.push_back({number_of_block(), running_number(), config, stream, issued_at});
}

// Completes the thread's last configured launch. While its arguments were evaluated, other threads may have
// run and configured launches of their own, so the thread's last one need not be the last of all.
bool BlockScheduler::launch_child(const char* kernel, std::span<const std::byte> arguments, HostCall call,
                                  std::uintptr_t pc) {
  const auto is_mine = [&, block = number_of_block(), thread = running_number()](const ChildLaunch& child) {
    return !child.call && child.block == block && child.thread == thread;
  };
  const auto found = std::ranges::find_if(children_.rbegin(), children_.rend(), is_mine);
  if (found == children_.rend()) return false;
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  for (std::size_t at = 0; at + sizeof stack <= arguments.size(); at += sizeof stack) {
    std::uintptr_t word = 0;
    std::memcpy(&word, arguments.data() + at, sizeof word);
    const bool is_local = word - stack < FiberStacks::usable_bytes;
    if (!is_local && !is_in_shared_memory(word)) continue;
    const std::string line = watch::source_line(found->issued_at - 1);
    fail({"CUDA_ERROR_ILLEGAL_ADDRESS",
          fmt::format("{} gives kernel {} the address of {}, which no other kernel can access",
                      running_thread(), kernel, is_local ? "a local variable" : "shared memory"),
          {.kind = DefectKind::illegal_address,
           .line = watch::line_number(line),
           .file = watch::other_file(line)}});
  }
  found->call = call;
  found->kernel = kernel;
  found->pc = pc;
  found->arguments.assign(arguments.begin(), arguments.end());
  return true;
}

// ---- Output and time --------------------------------------------------------------------------------------

void BlockScheduler::print(std::string_view text, const void* pc) {
  if (std::FILE* const file = kernel_output(); file && !is_checking()) {
    std::fwrite(text.data(), 1, text.size(), file);
    return;
  }
  printed_bytes_ += std::max<std::size_t>(text.size(), 1);
  if (printed_bytes_ <= max_kept_bytes) {
    if (output_.empty() || output_.back().block != number_of_block())
      output_.push_back({number_of_block(), {}});
    output_.back().text += text;
  }
  if (!is_checking()) return;
  // This counter resets the time limit, so that the limit of output ends a thread that prints forever.
  spurious_polls_.fetch_add(1, std::memory_order_relaxed);
  if (printed_bytes_ <= max_printed_bytes) return;
  watch::FoundDefect defect{.kind = DefectKind::too_much_output};
  defect.party.pc = reinterpret_cast<std::uintptr_t>(pc);
  fail_with(defect, "CUDA_ERROR_LAUNCH_FAILED");
}

std::optional<long long> BlockScheduler::reproducible_clock() {
  constexpr long long ticks_per_read = 32;  // any constant, so that the time is the same at every run
  if (!is_checking()) return std::nullopt;
  let_others_run();
  return clock_ += ticks_per_read;
}

}  // namespace gpulab::simulator::schedule
