#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/simulator/fiber_stack.hpp"
#include "device/simulator/simulated_launch.hpp"
#include "device/simulator/warp.hpp"

namespace gpulab {

// Runs the threads of one block at a time, on the worker thread that owns it.
//
// Threads are carried by fibers, lazily: a fiber runs one thread after another, and only when a thread has to
// wait (at a barrier, or for the other lanes of its warp) does another fiber go on with the threads not yet
// started. So a kernel without barriers runs on one fiber, with no switch at all.
class BlockScheduler {
 public:
  BlockScheduler();
  ~BlockScheduler();

  // Runs every thread of the block to its end. Throws KernelFailure.
  void run(const SimulatedLaunch& launch, const Extent& block_index);

  // What follows is called by the running thread, through device_calls.cpp.

  // Waits for all live threads of the block; returns how many came with a predicate that is not zero.
  int barrier(bool predicate, int line);
  // Waits for the live lanes of the mask; returns what the source lane brought, and fills lanes unless null.
  std::uint64_t exchange(std::uint32_t mask, std::uint64_t mine, unsigned source, std::uint64_t* lanes,
                         int line);
  std::uint32_t active_mask() const;
  // Called at every memory access of a hooked kernel: now and then lets other threads go on first.
  void at_memory_access();
  // Gives up the block. Does not return to the kernel.
  [[noreturn]] void fail(KernelFailure failure);
  // The same, when the kernel's stack cannot be trusted any more: its fiber is abandoned for good.
  [[noreturn]] void fail_for_good(KernelFailure failure);

  // "block 3 thread 17", with y and z where the block has them.
  std::string running_thread() const;

  // Barriers that some threads never reached because they had returned: how many of them, by line.
  std::map<int, std::size_t> take_missed_barriers() { return std::exchange(missed_barriers_, {}); }

 private:
  enum class State : unsigned char { running, ready, at_barrier, in_warp, exited };

  // Kept small: a block's threads and the tops of their stacks should stay in the CPU's first cache.
  struct Thread {
    boost::context::fiber context;  // where it goes on, while it does not run
    State state = State::running;
    int line = 0;  // where it waits
  };

  struct Abandoned {};  // thrown through a kernel to free its fiber

  void start_block(const SimulatedLaunch& launch, const Extent& block_index);
  void enter_thread(unsigned thread);
  void carry();
  boost::context::fiber idle_carrier();
  // Goes on in another context, and keeps the one it leaves where that, or a later one, will find it.
  void switch_to(boost::context::fiber&& to, boost::context::fiber& keep) {
    left_ = &keep;
    boost::context::fiber left = std::move(to).resume();
    *left_ = std::move(left);
  }
  void leave(boost::context::fiber& keep);
  void wait(State state, int line);
  void after_exit(unsigned thread);
  void release_barrier();
  void release_lanes(Warp& warp, std::size_t group);
  void make_ready(unsigned thread);
  void abandon_block();
  KernelFailure deadlock() const;
  std::string waiting_lines() const;

  FiberStacks stacks_;
  boost::context::fiber main_;               // the worker's own context, while a fiber runs
  std::vector<boost::context::fiber> idle_;  // fibers that wait for threads to carry
  boost::context::fiber* left_ = nullptr;    // where to keep the context that was just left

  const SimulatedLaunch* launch_ = nullptr;
  unsigned count_ = 0;  // threads of the block
  unsigned next_ = 0;   // the first thread not yet started
  unsigned current_ = 0;
  unsigned live_ = 0;
  std::vector<Thread> threads_;
  std::vector<WarpRequest> requests_;  // by thread
  std::vector<Warp> warps_;
  std::vector<unsigned> ready_;  // a ring: each thread stands in it at most once
  std::size_t ready_head_ = 0, ready_size_ = 0;
  std::vector<unsigned> at_barrier_;
  int predicates_ = 0;  // of the barrier that threads are arriving at
  int barrier_result_ = 0;
  unsigned accesses_until_switch_ = 0;
  std::uint32_t random_ = 0;
  bool abandoning_ = false;
  std::optional<KernelFailure> failure_;
  std::map<int, std::size_t> missed_barriers_;
};

}  // namespace gpulab
