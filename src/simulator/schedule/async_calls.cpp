#include <algorithm>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/hooks.hpp"

// Asynchronous copies, and barriers of some threads, for the functions that program/headers/async_copies.cuh
// and ptx.cuh declare.

namespace gpulab::simulator::schedule {

using Operation = watch::MemoryAccess::Operation;

void BlockScheduler::copy_async(const watch::AsyncCopy& copy) {
  watch::BlockChecker* const checker = watchers_.checker();
  const std::size_t copied = copy.bytes - copy.zeros;
  const std::size_t any_bits = copy.to | copy.from | copied | copy.bytes | 16;
  const std::size_t piece = checker ? copy.bytes : any_bits & (~any_bits + 1);  // the lowest bit, at most 16
  for (std::size_t at = 0; at < copy.bytes; at += piece) {
    if (at < copied)
      on_memory_access({Operation::load, copy.from + at, std::min(piece, copied - at), copy.pc});
    on_memory_access({Operation::store, copy.to + at, piece, copy.pc});
  }
  if (!checker) return watch::BlockChecker::move_bytes(copy);
  watch::AsyncCopy mine = copy;
  mine.thread = current_;
  checker->start_copy(mine);
}

void BlockScheduler::commit_copies() {
  if (is_checking()) watchers_.checker()->commit_copies(current_);
}

// Waits for copies. A copy's store is recorded where it begins and here: it may happen at any time between.
void BlockScheduler::wait_for_copies(unsigned groups_to_keep) {
  if (!is_checking()) return;
  while (const watch::AsyncCopy* const taken = watchers_.checker()->take_copy(current_, groups_to_keep)) {
    const watch::AsyncCopy copy = *taken;
    on_memory_access({Operation::store, copy.to, copy.bytes, copy.pc});
    watch::BlockChecker::move_bytes(copy);
  }
}

// Arrives at a cuda::barrier. A phase of all live threads orders them as __syncthreads() does.
void BlockScheduler::arrive(PhaseBarrier& barrier, unsigned threads, unsigned leaving, int line) {
  watchers_.settle();
  ++steps_;
  const auto variable = reinterpret_cast<std::uintptr_t>(&barrier.phase);
  if (phase_barriers_.size() < phase_barriers_.capacity() &&
      std::ranges::find(phase_barriers_, &barrier) == phase_barriers_.end())
    phase_barriers_.push_back(&barrier);
  if (is_checking() && barrier.expected < live_) watchers_.checker()->on_arrival(current_, variable);
  barrier.missing -= std::min(threads, barrier.missing);
  const std::uint32_t expected = barrier.expected;
  barrier.expected -= std::min(leaving, expected);
  if (barrier.missing > 0) return;
  if (is_checking()) watchers_.checker()->on_end_of_phase(variable);
  if (expected >= live_) watchers_.on_barrier(live_, line);
  barrier.missing = barrier.expected;
  ++barrier.phase;
  polling_.wake_all([this](unsigned thread) { make_ready(thread); });
}

// Arrives at a named barrier, which orders its threads as a cuda::barrier does.
void BlockScheduler::named_barrier(unsigned number, unsigned threads, bool waits, int line) {
  take_over();
  stop_if_asked(line);
  watchers_.settle();
  ++steps_;
  NamedBarrier& barrier = named_barriers_[number % NamedBarrier::count];
  const auto variable = reinterpret_cast<std::uintptr_t>(&barrier);
  watch::BlockChecker* const checker = watchers_.checker();
  if (checker) checker->on_arrival(current_, variable);
  barrier.expected = threads;
  if (waits) barrier.waiting.push_back(current_);
  if (++barrier.arrived < threads) {
    if (waits) wait(ThreadState::at_named_barrier, line);
    return;
  }
  if (checker) checker->on_end_of_phase(variable);
  for (const unsigned thread : barrier.waiting) {
    if (checker) checker->on_wait_for_phase(thread, variable);
    if (thread != current_) make_ready(thread);
  }
  barrier.arrived = 0;
  barrier.waiting.clear();
}

void BlockScheduler::after_wait(const PhaseBarrier& barrier) {
  if (!is_checking()) return;
  watchers_.settle();
  watchers_.checker()->on_wait_for_phase(current_, reinterpret_cast<std::uintptr_t>(&barrier.phase));
}

}  // namespace gpulab::simulator::schedule

#pragma GCC visibility push(default)

using gpulab::simulator::schedule::PhaseBarrier;
using gpulab::simulator::schedule::scheduler_of_this_thread;

extern "C" {

void gpulab_copy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros,
                       PhaseBarrier* barrier) {
  scheduler_of_this_thread()->copy_async(
      {.to = reinterpret_cast<std::uintptr_t>(to),
       .from = reinterpret_cast<std::uintptr_t>(from),
       .bytes = bytes,
       .zeros = std::min(zeros, bytes),
       .barrier = barrier ? reinterpret_cast<std::uintptr_t>(&barrier->phase) : 0,
       .pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))});
}

void gpulab_commit_copies() {
  scheduler_of_this_thread()->commit_copies();
}

void gpulab_wait_for_copies(unsigned groups_to_keep) {
  scheduler_of_this_thread()->wait_for_copies(groups_to_keep);
}

unsigned gpulab_arrive(PhaseBarrier* barrier, unsigned threads, unsigned leaving, int line) {
  const unsigned phase = barrier->phase;
  scheduler_of_this_thread()->arrive(*barrier, threads, leaving, line);
  return phase;
}

void gpulab_after_wait(const PhaseBarrier* barrier) {
  scheduler_of_this_thread()->after_wait(*barrier);
}
}

#pragma GCC visibility pop
