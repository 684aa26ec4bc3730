#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulator/schedule/fibers.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/access_recorder.hpp"
#include "simulator/watch/block_checker.hpp"

namespace gpulab::simulator::schedule {

// The recorder of a counted launch, and the checker of a checked one. A plain launch has neither.
class Watchers {
 public:
  void start_launch(const SimulatedLaunch& launch);
  void start_block(const SimulatedLaunch& launch, std::uint32_t block, unsigned threads);

  watch::AccessRecorder* recorder() const { return recorder_.get(); }
  watch::BlockChecker* checker() const { return checker_; }
  watch::PeerAccesses& peers() { return peers_; }

  // Completes the checks of the last access. Called before a context switch, and when a thread returns.
  void settle() {
    if (checker_) checker_->settle();
  }
  void on_barrier(unsigned live, int line) {
    if (recorder_) recorder_->on_barrier();
    if (checker_) checker_->on_barrier(live, line);
  }
  // Called when `lanes` of the warp have met. `is_whole_warp`: whether the warp has no other live lanes.
  void on_warp_operation(unsigned warp, LaneMask lanes, bool is_whole_warp) {
    if (recorder_ && is_whole_warp) recorder_->fold_requests(warp);
    if (checker_) checker_->on_warp_operation(warp, lanes, is_whole_warp);
  }
  void on_end_of_warp(unsigned warp) {
    if (recorder_) recorder_->fold_requests(warp);
  }

  // Returns the recorder of a counted launch; null for any other.
  std::unique_ptr<watch::AccessRecorder> take_recorder();
  // Returns the defects of a checked launch, and lets go of the checker.
  std::vector<watch::FoundDefect> take_defects();

 private:
  std::unique_ptr<watch::AccessRecorder> recorder_;
  std::unique_ptr<watch::BlockChecker> kept_checker_;  // for all launches, since its tables are large
  watch::BlockChecker* checker_ = nullptr;             // in a checked launch
  watch::PeerAccesses peers_;
};

// The parts of the scheduler that threads wait in. No part allocates while threads run.

// A position in the source is a line or, for a barrier, the line and the column, which
// prelude/barriers_and_warps.cuh packs into one number.
constexpr int line_of_position(int position) {
  return position & 0xFFFFF;
}
constexpr int column_of_position(int position) {
  return position >> 20;
}

enum class ThreadState : unsigned char {
  running,
  ready,
  at_barrier,
  at_named_barrier,
  in_warp,         // in a warp operation
  parked,          // until another thread changes the word that it polls (PollingThreads)
  in_active_mask,  // in __activemask()
  exited
};

// A thread of the block. It is small, so that all threads and the tops of their stacks fit into the L1 cache.
struct Thread {
  Fiber context;  // while the thread does not run
  ThreadState state = ThreadState::running;
  int position = 0;  // of the call in which the thread waits, in the source

  int line() const { return line_of_position(position); }

  bool is_waiting() const {
    return state == ThreadState::at_barrier || state == ThreadState::at_named_barrier ||
           state == ThreadState::in_warp;
  }
};

// The run queue: threads that can go on, in FIFO order. Each thread is in the queue at most once.
class RunQueue {
 public:
  void start(std::size_t threads) {
    buffer_.resize(threads);
    head_ = size_ = 0;
  }
  bool empty() const { return size_ == 0; }
  void push(unsigned thread) {
    std::size_t tail = head_ + size_++;
    if (tail >= buffer_.size()) tail -= buffer_.size();
    buffer_[tail] = thread;
  }
  unsigned front() const { return buffer_[head_]; }
  unsigned pop() {
    const unsigned thread = buffer_[head_];
    head_ = head_ + 1 == buffer_.size() ? 0 : head_ + 1;
    --size_;
    return thread;
  }

 private:
  std::vector<unsigned> buffer_;
  std::size_t head_ = 0, size_ = 0;
};

// The threads that have arrived at the block's barrier.
class Barrier {
 public:
  void start(std::size_t threads) {
    arrived_.clear();
    arrived_.reserve(threads);
    predicates_ = 0;
  }
  void arrive(unsigned thread, bool predicate) {
    arrived_.push_back(thread);
    add(predicate);
  }
  void add(bool predicate) { predicates_ += predicate; }
  // Returns whether all live threads have arrived. Others are not waited for, as on hardware since Volta.
  bool has_all(unsigned live) const { return !arrived_.empty() && arrived_.size() == live; }
  const std::vector<unsigned>& arrived() const { return arrived_; }
  // Opens the barrier. result() is then the number of threads whose predicate is not zero.
  void open() {
    result_ = std::exchange(predicates_, 0);
    arrived_.clear();
  }
  int result() const { return result_; }

 private:
  std::vector<unsigned> arrived_;
  int predicates_ = 0, result_ = 0;
};

// A barrier with a number, for some of the block's threads. PTX: bar.sync 1, 64 is barrier 1 for 64 threads.
struct NamedBarrier {
  static constexpr std::size_t count = 16;  // in a block

  unsigned expected = 0, arrived = 0;  // threads
  std::vector<unsigned> waiting;
};

// A lane's values in a warp operation.
struct WarpRequest {
  static constexpr unsigned no_lane = ~0u;

  std::uint64_t mine = 0;
  unsigned source = 0;                  // lane to read from, or no_lane
  std::uint64_t* all_values = nullptr;  // receives one value for each lane, or null
  std::uint64_t result = 0;
};

// The lanes of a warp that have arrived at warp operations. Lanes that name the same mask meet each other.
struct Warp {
  struct Group {
    LaneMask mask = 0;
    LaneMask arrived = 0;
    LaneMask read_inactive = 0;  // once complete: lanes that read from a lane that has not arrived
  };

  LaneMask live = 0;  // lanes that exist and have not returned
  std::vector<Group> groups;
  LaneMask in_active_mask = 0;  // lanes waiting in __activemask()

  // Returns the index of the group that waits for `mask`, which is a new group if there was none.
  std::size_t group_for(LaneMask mask);
  // Returns whether all live lanes have arrived. Others are not waited for, as on hardware since Volta.
  bool is_complete(const Group& group) const { return (group.mask & live & ~group.arrived) == 0; }
};

// The warps of a block, and the values that their lanes exchange.
class Warps {
 public:
  void start(unsigned threads, WarpSize warp_size);

  Warp& of(unsigned thread) { return warps_[warp_size_.warp_of(thread)]; }
  const Warp& of(unsigned thread) const { return warps_[warp_size_.warp_of(thread)]; }
  WarpRequest& request(unsigned thread) { return requests_[thread]; }

  // Removes the group from the warp of `thread`, and gives each lane of the group its result: the lanes that
  // have arrived, if it wants all values; else the value of its source, or `undefined` if the source has not
  // arrived.
  Warp::Group complete(unsigned thread, std::size_t group_index, std::uint64_t undefined);

 private:
  WarpSize warp_size_;
  std::vector<Warp> warps_;
  std::vector<WarpRequest> requests_;  // by thread
};

// Threads of a block that poll a word, with volatile loads or with atomics that leave the word unchanged.
// Such threads wait for another thread to change the word, and need not run until then. Nothing here
// allocates while threads run.
class PollingThreads {
 public:
  // One poll of a word. `trace` is a hash of the thread's other accesses since its last poll, and of the
  // atomic's operand.
  struct Poll {
    watch::MemoryAccess access;
    std::uint64_t value = 0;
    std::uint64_t trace = 0;
    bool finds_no_change = false;  // whether the poll found the same as the thread's poll before
  };

  void start(std::size_t threads) {
    early_polls_.assign(threads, 0);
    if (histories_.size() < threads) histories_.resize(threads);
    parked_.clear();
    parked_.reserve(threads);
  }

  // Counts a poll. Returns true for the thread's first polls, which are not recorded. An atomic that happens
  // to change nothing, such as an addition of 0, counts as a poll, too: most kernels make only a few of
  // these, and so never pay for records.
  bool count_early_poll(unsigned thread) {
    if (early_polls_[thread] >= max_words) return false;
    ++early_polls_[thread];
    return true;
  }
  // Returns whether a last_poll() is recorded: record() counts the first poll that it records, once more than
  // count_early_poll() counts.
  bool has_last_poll(unsigned thread) const { return early_polls_[thread] > max_words; }
  enum class Found { change, no_change, another_word };
  // Records a poll that is not one of the first. It found no change if the thread has polled this word
  // before, found the same value, and done the same in between, polls of other words included.
  Found record(unsigned thread, const Poll& poll);
  const Poll& last_poll(unsigned thread) const { return histories_[thread].last; }

  // Parks `thread` until the word that it polled last changes.
  void park(unsigned thread) { parked_.push_back(thread); }
  bool any_is_parked() const { return !parked_.empty(); }
  const std::vector<unsigned>& parked() const { return parked_; }

  // Wakes the first thread that waits for one of these bytes. If many threads wait for a lock, only one of
  // them can get it. The others poll again when the lock is released, or when no other thread can go on.
  template <class Wake>
  void wake_first(std::uintptr_t address, std::size_t bytes, const Wake& wake) {
    const auto polls_these_bytes = [&](unsigned thread) {
      const watch::MemoryAccess& poll = histories_[thread].last.access;
      return address < poll.address + poll.bytes && poll.address < address + bytes;
    };
    const auto first = std::ranges::find_if(parked_, polls_these_bytes);
    if (first == parked_.end()) return;
    wake(*first);
    parked_.erase(first);
  }
  template <class Wake>
  void wake_all(const Wake& wake) {
    for (const unsigned thread : parked_) wake(thread);
    parked_.clear();
  }

 private:
  struct History {
    Poll last;
    std::uint64_t others = 0;  // hash of the thread's polls of other words since `last`
    unsigned other_polls = 0;
  };

  // The most words that a thread may poll in turn, and the number of its first polls that are not recorded.
  static constexpr unsigned char max_words = 64;

  std::vector<unsigned char> early_polls_;  // by thread; max_words + 1 once a poll was recorded
  std::vector<History> histories_;          // by thread, after its first polls
  std::vector<unsigned> parked_;
};

// Decides when a thread is interrupted inside a memory access: after one to four accesses, at random.
class Interruptions {
 public:
  void start(std::uint32_t seed) {
    random_ = seed == 0 ? 1 : seed;
    accesses_left_ = 1;
  }
  // Counts an access. Returns whether its thread is to be interrupted.
  bool count_access() {
    if (--accesses_left_ > 0) return false;
    random_ ^= random_ << 13, random_ ^= random_ >> 17, random_ ^= random_ << 5;  // xorshift32
    accesses_left_ = 1 + random_ % 4;
    return true;
  }

 private:
  std::uint32_t random_ = 1;
  unsigned accesses_left_ = 1;
};

}  // namespace gpulab::simulator::schedule
