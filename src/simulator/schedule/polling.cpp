#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/schedule/worker_pool.hpp"

namespace gpulab::simulator::schedule {

// Threads that load a word again and again until another thread changes it: they are parked, and woken when
// the word is written.

namespace {

std::uint64_t hash_of(std::uint64_t number) {
  return (number ^ number >> 29) * 0x9E3779B97F4A7C15u;
}

// Returns at most 8 bytes of the access's memory, which must be mapped.
std::uint64_t value_at(const watch::MemoryAccess& access) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(access.address), std::min<std::size_t>(access.bytes, 8));
  return value;
}

}  // namespace

PollingThreads::Found PollingThreads::record(unsigned thread, const Poll& poll) {
  History& history = histories_[thread];
  if (early_polls_[thread] == max_words) {
    ++early_polls_[thread];
    history = {poll, 0, 0};
    return Found::change;
  }
  if (poll.access.address != history.last.access.address) {
    history.others += hash_of(hash_of(poll.access.address) + poll.value) + poll.trace;
    if (++history.other_polls <= max_words) return Found::another_word;
    history = {poll, 0, 0};
    return Found::change;
  }
  Poll now = poll;
  now.trace += history.others;
  const bool is_same = now.value == history.last.value && now.trace == history.last.trace;
  now.finds_no_change = is_same;
  history = {now, 0, 0};
  return is_same ? Found::no_change : Found::change;
}

void BlockScheduler::wake_first_waiter(const watch::MemoryAccess& access) {
  polling_.wake_first(access.address, access.bytes, [this](unsigned thread) { make_ready(thread); });
}

// Wakes the first thread that waits for the word that an atomic has changed. Call it before a thread switch.
void BlockScheduler::wake_for_change() {
  wake_first_waiter(*change_);
  change_.reset();
}

// Lets others run before a volatile load. Parks the thread until another one changes the word, if the load
// would find the same value as before.
void BlockScheduler::poll_or_wait(const watch::MemoryAccess& access) {
  const PollingThreads::Poll& last = polling_.last_poll(current_);
  const bool finds_the_same = polling_.has_last_poll(current_) && last.access.address == access.address &&
                              last.access.bytes == access.bytes && last.finds_no_change &&
                              last.value == value_at(access);
  if (!finds_the_same) return let_others_run();
  stop_if_asked(0);
  watchers_.settle();
  polling_.park(current_);
  wait(ThreadState::parked, 0);
}

void BlockScheduler::after_poll(const watch::MemoryAccess& access) {
  record_poll(access, 0);
}

// Records a poll. Returns whether it has found the same value as the last one, and the thread has done
// nothing else in between.
bool BlockScheduler::record_poll(const watch::MemoryAccess& access, std::uint64_t operand) {
  using Found = PollingThreads::Found;
  const Found found = polling_.count_early_poll(current_)
                          ? Found::change
                          : polling_.record(current_, {access, value_at(access),
                                                       watchers_.checker()->take_trace(current_) + operand});
  if (found == Found::change) ++steps_;
  return found == Found::no_change;
}

void BlockScheduler::after_unchanging_atomic(const void* address, std::size_t bytes, std::uint64_t operand,
                                             const void* pc) {
  watch::BlockChecker* const checker = watchers_.checker();
  const auto word = reinterpret_cast<std::uintptr_t>(address);
  if (!checker) {
    if (mode_ == ExecutionMode::block) return;  // where no thread reads what its atomics return
    const unsigned thread = running_number();
    const bool is_repeated = word == unchanged_word_ && thread == unchanging_thread_;
    unchanged_word_ = word;
    unchanging_thread_ = thread;
    if (is_repeated) let_others_run();
    return;
  }
  checker->take_back_change();
  change_.reset();
  const watch::MemoryAccess access{watch::MemoryAccess::Operation::atomic, word, bytes,
                                   reinterpret_cast<std::uintptr_t>(pc)};
  if (!record_poll(access, operand)) return;
  stop_if_asked(0);
  watchers_.settle();
  polling_.park(current_);
  wait(ThreadState::parked, 0);
}

// Returns whether the host may still change a word that a thread waits for.
bool BlockScheduler::waits_for_host() const {
  return pool_ && pool_->host().may_change && std::ranges::any_of(polling_.parked(), [this](unsigned thread) {
           return pool_->host().may_change(polling_.last_poll(thread).access.address);
         });
}

// Wakes all threads that wait for a word, since no other thread can go on: another block may have changed the
// word, or a thread may stop polling after some number of attempts. Returns false when waiting will never
// help.
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
  polling_.wake_all([this](unsigned thread) { make_ready(thread); });
  return true;
}

}  // namespace gpulab::simulator::schedule
