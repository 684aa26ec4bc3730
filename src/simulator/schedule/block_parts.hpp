#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <utility>
#include <vector>

// What a block's threads wait for. Nothing here allocates while threads run.

namespace gpulab::simulator::schedule {

enum class ThreadState : unsigned char { running, ready, at_barrier, in_warp, at_word, exited };

// Kept small: a block's threads and the tops of their stacks should stay in the CPU's first cache.
struct Thread {
  boost::context::fiber context;  // where it goes on, while it does not run
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
    predicates_ += predicate;
  }
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
