#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulator/schedule/fibers.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/access_recorder.hpp"
#include "simulator/watch/block_checker.hpp"

namespace gpulab::simulator::schedule {

// Who watches the threads of a launch: the recorder where its accesses are counted, the checker where they
// are checked, nobody in a plain launch.
class Watchers {
 public:
  void start_launch(const SimulatedLaunch& launch);
  void start_block(const SimulatedLaunch& launch, std::uint32_t block, unsigned threads);

  watch::AccessRecorder* recorder() const { return recorder_.get(); }
  watch::BlockChecker* checker() const { return checker_.get(); }
  watch::PeerAccesses& peers() { return peers_; }

  // The running thread is about to give way, or to return.
  void settle() {
    if (checker_) checker_->settle();
  }
  void at_barrier(unsigned live, int line) {
    if (recorder_) recorder_->fold_all();
    if (checker_) checker_->at_barrier(live, line);
  }
  // The lanes of the warp have met, and are all that it has left or only some of them.
  void at_warp_operation(unsigned warp, std::uint32_t lanes, bool are_all) {
    if (recorder_ && are_all) recorder_->fold(warp);
    if (checker_) checker_->at_warp_operation(warp, lanes, are_all);
  }
  void at_end_of_warp(unsigned warp) {
    if (recorder_) recorder_->fold(warp);
  }

  // The memory accesses of a launch that was to count them, which ends the counting.
  std::vector<watch::AccessSite> take_accesses();
  // What was wrong with a launch that was to be checked, which ends the checking.
  std::vector<watch::FoundDefect> take_defects();

 private:
  std::unique_ptr<watch::AccessRecorder> recorder_;
  std::unique_ptr<watch::BlockChecker> checker_;
  watch::PeerAccesses peers_;
};

// What a block's threads wait for. Nothing here allocates while threads run.

enum class ThreadState : unsigned char { running, ready, at_barrier, in_warp, at_word, at_mask, exited };

// Kept small: a block's threads and the tops of their stacks should stay in the CPU's first cache.
struct Thread {
  Fiber context;  // where it goes on, while it does not run
  ThreadState state = ThreadState::running;
  int line = 0;  // where it waits

  bool is_waiting() const { return state == ThreadState::at_barrier || state == ThreadState::in_warp; }
};

// Threads that can go on, first come, first served. Each stands in it at most once.
class ReadyRing {
 public:
  void start(std::size_t threads) {
    ring_.resize(threads);
    head_ = size_ = 0;
  }
  bool empty() const { return size_ == 0; }
  void push(unsigned thread) {
    std::size_t tail = head_ + size_++;
    if (tail >= ring_.size()) tail -= ring_.size();
    ring_[tail] = thread;
  }
  unsigned pop() {
    const unsigned thread = ring_[head_];
    head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
    --size_;
    return thread;
  }

 private:
  std::vector<unsigned> ring_;
  std::size_t head_ = 0, size_ = 0;
};

// The threads that have come to the block's barrier.
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
  // Threads that have returned are not waited for, as on hardware since Volta.
  bool has_all(unsigned live) const { return !arrived_.empty() && arrived_.size() == live; }
  const std::vector<unsigned>& arrived() const { return arrived_; }
  // Lets everyone go on: result() is then how many came with a predicate that is not zero.
  void open() {
    result_ = std::exchange(predicates_, 0);
    arrived_.clear();
  }
  int result() const { return result_; }

 private:
  std::vector<unsigned> arrived_;
  int predicates_ = 0, result_ = 0;
};

// What a lane brings to a warp operation, and what it takes away.
struct WarpRequest {
  std::uint64_t mine = 0;
  unsigned source = 0;             // the lane whose value it wants
  std::uint64_t* lanes = nullptr;  // where it wants the values of all 32 lanes, or null
  std::uint64_t result = 0;
};

// Which lanes of a warp have come to which warp operation. Lanes that name the same mask meet each other.
struct Warp {
  struct Group {
    std::uint32_t mask = 0;
    std::uint32_t arrived = 0;
  };

  std::uint32_t live = 0;  // lanes that exist and have not returned
  std::vector<Group> groups;
  std::uint32_t at_mask = 0;  // lanes that ask who is active

  // The group that gathers for that mask, made if there is none; its place in groups.
  std::size_t group_for(std::uint32_t mask);
  // Lanes that have returned are not waited for, as on hardware since Volta.
  bool is_complete(const Group& group) const { return (group.mask & live & ~group.arrived) == 0; }
};

// The warps of a block, and what their lanes exchange.
class Warps {
 public:
  void start(unsigned threads);

  Warp& of(unsigned thread) { return warps_[thread / 32]; }
  const Warp& of(unsigned thread) const { return warps_[thread / 32]; }
  WarpRequest& request(unsigned thread) { return requests_[thread]; }

  // Takes the group out of the warp of that thread, and hands each of its lanes what it asked for.
  Warp::Group complete(unsigned thread, std::size_t group);

 private:
  std::vector<Warp> warps_;
  std::vector<WarpRequest> requests_;  // by thread
};

// Threads of a block that read a word again and again, with volatile loads or with atomics that leave it as
// it is: they wait for somebody to change it, and need not run before. Nothing here allocates while threads
// run.
class Waits {
 public:
  // One look at a word. The trace stands for what else the thread has accessed since its last look, and for
  // what it brought.
  struct Look {
    watch::MemoryAccess access;
    std::uint64_t value = 0;
    std::uint64_t trace = 0;
    bool is_in_vain = false;  // it found what the look before had found
  };

  void start(std::size_t threads) {
    looks_before_.assign(threads, 0);
    if (looks_.size() < threads) looks_.resize(threads);
    parked_.clear();
    parked_.reserve(threads);
  }

  // Whether this is one of the thread's first looks. Most kernels with atomics that change nothing, such as
  // an addition of 0, have no more of them, and they must cost little.
  bool is_early(unsigned thread) {
    if (looks_before_[thread] >= most_words) return false;
    ++looks_before_[thread];
    return true;
  }
  // Whether what the thread found is kept.
  bool may_wait(unsigned thread) const { return looks_before_[thread] > most_words; }
  // Whether the thread has looked there before, found the same, and did the same in between. Not to be asked
  // of its first looks.
  bool is_in_vain(unsigned thread, const Look& look);
  const Look& look_of(unsigned thread) const { return looks_[thread].look; }

  // What a thread waits for is the word that it looked at last.
  void park(unsigned thread) { parked_.push_back(thread); }
  bool any() const { return !parked_.empty(); }
  const std::vector<unsigned>& parked() const { return parked_; }

  // Hands out the first that waits for one of these bytes. Of many that wait for a lock only one can get it;
  // the others look again when it is given back, or when nobody else can go on.
  template <class Wake>
  void wake_first(std::uintptr_t address, std::size_t bytes, const Wake& wake) {
    const auto waits = [&](unsigned thread) {
      const watch::MemoryAccess& waits_for = looks_[thread].look.access;
      return address < waits_for.address + waits_for.bytes && waits_for.address < address + bytes;
    };
    const auto first = std::ranges::find_if(parked_, waits);
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
    Look look;
    std::uint64_t others = 0;  // what it has seen of other words since it looked at that one
    unsigned looks_at_others = 0;
  };

  // Who waits for one of several words comes back to the first after so many.
  static constexpr unsigned char most_words = 64;

  std::vector<unsigned char> looks_before_;  // by thread, up to one more than most_words
  std::vector<History> looks_;               // by thread, of those that have made more
  std::vector<unsigned> parked_;
};

// When threads are interrupted inside memory accesses: after one to four of them, at random.
class Interruptions {
 public:
  void start(std::uint32_t seed) {
    random_ = seed == 0 ? 1 : seed;
    accesses_left_ = 1;
  }
  bool is_due() {
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
