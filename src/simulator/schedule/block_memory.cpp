#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>

#include "simulator/memory.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/hooks.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/schedule/worker_pool.hpp"

namespace gpulab::simulator::schedule {
namespace {

constexpr std::size_t max_canary_bytes = 4096;
constexpr char canary = '\xA5';

void poison(std::span<char> memory) {
  constexpr std::uint32_t word = 0xFFFFDEAD;
  for (; memory.size() > sizeof word; memory = memory.subspan(sizeof word))
    std::memcpy(memory.data(), &word, sizeof word);
  std::memcpy(memory.data(), &word, memory.size());
}

std::span<char> canary_of(const SharedMemory& shared) {
  if (!shared.has_dynamic) return {};
  const std::size_t left = largest_shared_bytes - std::min(shared.dynamic_bytes, largest_shared_bytes);
  return {shared.dynamic_address() + shared.dynamic_bytes, std::min(left, max_canary_bytes)};
}

}  // namespace

void fill_with_garbage(const SharedMemory& shared) {
  char* const dynamic = shared.dynamic_address();
  char* const module = dynamic - shared.dynamic_offset;
  for (const SharedMemory::Range& range : shared.statics)
    if (range.is_guard)
      std::memset(module + range.offset, 1, range.bytes);
    else
      poison({module + range.offset, range.bytes});
  poison({dynamic, shared.dynamic_bytes});
  std::ranges::fill(canary_of(shared), canary);
}

bool has_written_past_dynamic(const SharedMemory& shared) {
  return !std::ranges::all_of(canary_of(shared), [](char byte) { return byte == canary; });
}

// The scheduler at the memory accesses of a hooked kernel, and for checked kernels.

namespace {

constexpr std::size_t kept_bytes = std::size_t{1} << 20;  // of a launch: a GPU's printf buffer
constexpr std::size_t max_printed_bytes = std::size_t{1}
                                          << 25;  // a launch that prints more counts as endless

using Operation = watch::MemoryAccess::Operation;

// Returns at most 8 bytes of the access's memory, which must be mapped.
std::uint64_t value_at(const watch::MemoryAccess& access) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(access.address), std::min<std::size_t>(access.bytes, 8));
  return value;
}

}  // namespace

void BlockScheduler::on_memory_access(const watch::MemoryAccess& access) {
  watch::BlockChecker* const checker = watchers_.checker();
  if (!checker && watchers_.recorder()) return count(access);
  // A volatile or atomic load may be waiting for another thread to write.
  const bool may_wait =
      access.operation == Operation::load && (access.is_volatile || access.traits & watch::only_loads);
  const bool may_give_way = may_wait || is_interrupted_ || (checker && checker->has_taken_long());
  if (may_give_way && !(checker && checker->waits_for_store())) {
    if (may_wait && checker)
      poll_or_wait(access);
    else if (may_wait || !is_interrupted_ || interruptions_.is_due())
      let_others_run();
  }
  if (!checker) return;
  check(access);
  if (may_wait) after_poll(access);
}

void BlockScheduler::on_plain_access(watch::MemoryAccess::Operation operation, std::uintptr_t address,
                                     std::size_t bytes, std::uintptr_t code) {
  watch::BlockChecker* const checker = watchers_.checker();
  if (!checker || checker->needs_full_check()) [[unlikely]]
    return on_memory_access({operation, address, bytes, code});
  if (is_interrupted_ && interruptions_.is_due()) let_others_run();
  const bool may_wake = operation != watch::MemoryAccess::Operation::load && waits_.any();
  if (may_wake || !checker->is_recording() ||
      !checker->try_recorded_access(current_, operation, address, bytes, code)) [[unlikely]]
    check({operation, address, bytes, code});
}

void BlockScheduler::check(const watch::MemoryAccess& access) {
  if (atomics_to_pause_ > 0 && access.operation == Operation::atomic) [[unlikely]]
    pause_block(access);
  const watch::BlockChecker::Verdict verdict = watchers_.checker()->on_access(current_, access);
  if (verdict != watch::BlockChecker::Verdict::go_on) [[unlikely]]
    stop_after(verdict, access);
  if (!waits_.any() || access.operation == Operation::load) [[likely]]
    return;
  settle_change();
  if (access.operation == Operation::atomic)
    change_ = access;
  else
    wake_first_waiter(access);
}

// Lets another block run before one of the block's atomics on global memory. Otherwise a check, which runs
// blocks one after another, would never lose an update made of two atomics: one reads, the next one stores.
void BlockScheduler::pause_block(const watch::MemoryAccess& access) {
  if (is_in_shared_memory(access.address) || --atomics_to_pause_ > 0) return;
  watchers_.settle();
  settle_change();
  if (pool_->let_another_block_go_on(*this)) return;
  standstill_ = Standstill::abandoned;
  give_up();
}

void BlockScheduler::count(const watch::MemoryAccess& access) {
  watch::AccessRecorder& recorder = *watchers_.recorder();
  if (watchers_.peers().has_peers()) watchers_.peers().add(access);
  if (!recorder.try_count_only(access)) record(recorder, access);
  // More in one block may be the work of all others, taken from a queue.
  constexpr std::uint64_t most_of_one_block = std::uint64_t{1} << 21;
  if (launch_->counts_in_order() && recorder.accesses() > most_of_one_block) [[unlikely]]
    cut_off_if_endless(recorder);
}

// Records an access. If the warp's requests are full, the thread waits until all others have gone as far as
// they can, so that the other lanes have made the same accesses. The first lane to go on then merges the
// lanes' accesses into requests.
void BlockScheduler::record(watch::AccessRecorder& recorder, const watch::MemoryAccess& access) {
  for (;;) {
    const watch::AccessRecorder::Recorded recorded = recorder.record(current_, access);
    if (recorded == watch::AccessRecorder::Recorded::yes) return;
    if (recorded == watch::AccessRecorder::Recorded::too_many_sites)
      fail({"CUDA_ERROR_NOT_SUPPORTED", "the simulator counts the accesses of kernels with at most " +
                                            std::to_string(watch::AccessSites::capacity) +
                                            " loads, stores and atomics"});
    const unsigned warp = warp_size_.warp_of(current_), folds = recorder.folds_of(warp);
    let_others_run();
    if (recorder.folds_of(warp) == folds) recorder.make_room(warp);
  }
}

// Stops a block that would alone take hours, or that may take the work of all others from a queue.
void BlockScheduler::cut_off_if_endless(watch::AccessRecorder& recorder) {
  constexpr std::uint64_t most_kept = std::uint64_t{1} << 25, most = std::uint64_t{1} << 29;
  if (recorder.kept_accesses() <= most_kept && recorder.accesses() <= most && !recorder.has_global_atomics())
    return;
  recorder.cut_off();
  fail({"CUDA_ERROR_LAUNCH_TIMEOUT", "a block makes too many accesses to count them"});
}

void BlockScheduler::stop_after(watch::BlockChecker::Verdict verdict, const watch::MemoryAccess& access) {
  switch (verdict) {
    case watch::BlockChecker::Verdict::stop:
      fail({"CUDA_ERROR_ILLEGAL_ADDRESS", ""});
    case watch::BlockChecker::Verdict::over_limit:
      fail_with(watchers_.checker()->too_many_accesses(current_, access), "CUDA_ERROR_LAUNCH_TIMEOUT");
    default:
      fail(
          {"CUDA_ERROR_NOT_SUPPORTED",
           "the simulator cannot check this launch: it has too many threads, or its kernel too many loads and stores; choose a smaller size"});
  }
}

void BlockScheduler::fence(watch::Scope scope) {
  stop_if_asked(0);
  if (is_checking()) watchers_.checker()->on_fence(current_, scope);
}

// ---- Polling a word ---------------------------------------------------------------------------------------

void BlockScheduler::wake_first_waiter(const watch::MemoryAccess& access) {
  waits_.wake_first(access.address, access.bytes, [this](unsigned thread) { make_ready(thread); });
}

// Wakes the first thread that waits for the word that an atomic has changed. Call it before a switch to
// another thread.
void BlockScheduler::wake_for_change() {
  wake_first_waiter(*change_);
  change_.reset();
}

// Called before a volatile load. If it would find the same value as before, the thread is parked until
// another one changes the word.
void BlockScheduler::poll_or_wait(const watch::MemoryAccess& access) {
  const Waits::Poll& last = waits_.last_poll(current_);
  const bool finds_the_same = waits_.has_last_poll(current_) && last.access.address == access.address &&
                              last.access.bytes == access.bytes && last.finds_no_change &&
                              last.value == value_at(access);
  if (!finds_the_same) return let_others_run();
  stop_if_asked(0);
  watchers_.settle();
  waits_.park(current_);
  wait(ThreadState::at_word, 0);
}

void BlockScheduler::after_poll(const watch::MemoryAccess& access) {
  record_poll(access, 0);
}

// Returns whether the thread has found the same as before, and done nothing else.
bool BlockScheduler::record_poll(const watch::MemoryAccess& access, std::uint64_t operand) {
  using Found = Waits::Found;
  const Found found = waits_.count_early_poll(current_)
                          ? Found::change
                          : waits_.record(current_, {access, value_at(access),
                                                     watchers_.checker()->take_trace(current_) + operand});
  if (found == Found::change) ++steps_;
  return found == Found::no_change;
}

void BlockScheduler::after_unchanging_atomic(const void* address, std::size_t bytes, std::uint64_t operand,
                                             const void* code) {
  watch::BlockChecker* const checker = watchers_.checker();
  const auto word = reinterpret_cast<std::uintptr_t>(address);
  if (!checker) {
    if (mode_ == ExecutionMode::block) return;  // where no thread reads what its atomics return
    const unsigned thread = running_number();
    const bool again = word == idle_word_ && thread == idle_thread_;
    idle_word_ = word;
    idle_thread_ = thread;
    if (again) let_others_run();
    return;
  }
  checker->take_back_change();
  change_.reset();
  const watch::MemoryAccess access{Operation::atomic, word, bytes, reinterpret_cast<std::uintptr_t>(code)};
  if (!record_poll(access, operand)) return;
  stop_if_asked(0);
  watchers_.settle();
  waits_.park(current_);
  wait(ThreadState::at_word, 0);
}

// Returns whether the host may still change a word that a thread waits for.
bool BlockScheduler::waits_for_host() const {
  return pool_ && pool_->host().may_change && std::ranges::any_of(waits_.parked(), [this](unsigned thread) {
           return pool_->host().may_change(waits_.last_poll(thread).access.address);
         });
}

// Wakes all threads that wait for a word, since no other can go on: another block may have changed the word,
// or they may give up. False when waiting will never help.
bool BlockScheduler::wake_waiting() {
  constexpr unsigned max_spurious_wakeups = 300;
  constexpr unsigned polls_after_host = 30;  // to see what the host has changed last
  if (asked_to_stop_.load(std::memory_order_relaxed)) {
    standstill_ = Standstill::time_limit;
    return false;
  }
  const std::uint64_t steps = steps_ + watchers_.checker()->changes();
  const bool has_changed = steps != std::exchange(steps_at_waking_, steps);
  spurious_wakeups_ = has_changed ? 0 : spurious_wakeups_ + 1;
  if (!has_changed) spurious_polls_.fetch_add(1, std::memory_order_relaxed);
  if (launch_->in_order) {
    switch (pool_->pass_turn(*this, has_changed)) {
      case WorkerPool::Turn::stop:
        standstill_ = Standstill::abandoned;
        return false;
      case WorkerPool::Turn::others_went_on:
        spurious_wakeups_ = 0;
        break;
      case WorkerPool::Turn::all_wait:
        break;
    }
  } else if (spurious_wakeups_ > 0) {  // give other workers time
    std::this_thread::sleep_for(std::chrono::microseconds(spurious_wakeups_ < 100 ? 10 : 500));
  }
  if (spurious_wakeups_ > max_spurious_wakeups) {
    if (!waits_for_host()) {
      standstill_ = Standstill::endless_wait;
      return false;
    }
    spurious_wakeups_ -= polls_after_host;
  }
  waits_.wake_all([this](unsigned thread) { make_ready(thread); });
  return true;
}

// ---- The heap ---------------------------------------------------------------------------------------------

void* BlockScheduler::device_malloc(std::size_t bytes, const void* code) {
  const auto caller = reinterpret_cast<std::uintptr_t>(code);
  const std::uintptr_t memory = launch_->heap ? launch_->heap->allocate(bytes, caller) : 0;
  if (memory != 0 && is_checking()) watchers_.checker()->on_malloc({memory, bytes});
  return reinterpret_cast<void*>(memory);
}

void BlockScheduler::device_free(void* memory, const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (address == 0 || !launch_->heap) return;
  if (const auto block = launch_->heap->free(address)) {
    if (is_checking()) watchers_.checker()->on_free(block->range);
    return;
  }
  const auto near = launch_->heap->block_near(address);
  const bool again = near && near->range.begin == address;
  const char* const what = again ? "memory that was freed before" : "memory that malloc() did not return";
  if (!is_checking())
    fail({"CUDA_ERROR_LAUNCH_FAILED",
          std::string("a free() of ") + what + ", " + running_thread(),
          {.kind = DefectKind::bad_free}});
  watch::FoundDefect defect{.kind = DefectKind::bad_free, .address = address};
  defect.party.code = reinterpret_cast<std::uintptr_t>(code);
  std::strncpy(defect.detail, what, sizeof defect.detail - 1);
  fail_with(defect, "CUDA_ERROR_LAUNCH_FAILED");
}

// ---- Launches by the kernel -------------------------------------------------------------------------------

void BlockScheduler::configure_child(const LaunchConfig& config, std::uintptr_t stream,
                                     std::uintptr_t issued_at) {
  children_.push_back({number_of_block(), running_number(), config, stream, issued_at});
}

// Arguments may wait for other threads, so their launches can lie in between.
bool BlockScheduler::launch_child(const char* kernel, std::span<const std::byte> arguments, HostCall call,
                                  std::uintptr_t code) {
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
          running_thread() + " gives kernel " + kernel + " the address of " +
              (is_local ? "a local variable" : "shared memory") + ", which no other kernel can access",
          {.kind = DefectKind::illegal_address,
           .line = watch::line_number(line),
           .file = watch::other_file(line)}});
  }
  found->call = call;
  found->kernel = kernel;
  found->code = code;
  found->arguments.assign(arguments.begin(), arguments.end());
  return true;
}

// ---- Output and time --------------------------------------------------------------------------------------

void BlockScheduler::print(std::string_view text, const void* code) {
  if (std::FILE* const file = kernel_output(); file && !is_checking()) {
    std::fwrite(text.data(), 1, text.size(), file);
    return;
  }
  printed_bytes_ += std::max<std::size_t>(text.size(), 1);
  if (printed_bytes_ <= kept_bytes) {
    if (output_.empty() || output_.back().block != number_of_block())
      output_.push_back({number_of_block(), {}});
    output_.back().text += text;
  }
  if (!is_checking()) return;
  // Counts as progress: the limit on the output ends a thread that prints without end, not the time limit.
  spurious_polls_.fetch_add(1, std::memory_order_relaxed);
  if (printed_bytes_ <= max_printed_bytes) return;
  watch::FoundDefect defect{.kind = DefectKind::too_much_output};
  defect.party.code = reinterpret_cast<std::uintptr_t>(code);
  fail_with(defect, "CUDA_ERROR_LAUNCH_FAILED");
}

std::optional<long long> BlockScheduler::own_clock() {
  constexpr long long ticks_per_read = 32;
  if (!is_checking()) return std::nullopt;
  let_others_run();
  return clock_ += ticks_per_read;
}

}  // namespace gpulab::simulator::schedule
