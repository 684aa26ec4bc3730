#pragma once

#include <atomic>
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/check/block_checker.hpp"
#include "simulator/count/access_recorder.hpp"
#include "simulator/fault/kernel_code.hpp"
#include "simulator/schedule/fiber_stack.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/schedule/warp.hpp"

namespace gpulab::simulator::schedule {

// Runs the threads of one block at a time, on the worker thread that owns it.
//
// Threads are carried by fibers, lazily: a fiber runs one thread after another, and only when a thread has to
// wait (at a barrier, or for the other lanes of its warp) does another fiber go on with the threads not yet
// started. So a kernel without barriers runs on one fiber, with no switch at all.
//
// Kernels call it on their own small stacks, where an overflow can happen at any call. So it allocates
// nothing there, and leaves explanations of what went wrong to the worker's own stack where it can.
class BlockScheduler {
 public:
  BlockScheduler();
  ~BlockScheduler();

  // To be called before the first block of a launch, on the worker's thread. The code is that around the
  // launch's function.
  void start_launch(const SimulatedLaunch& launch, const fault::KernelCode& code);

  // Runs every thread of the block to its end. Throws KernelFailure.
  void run(const SimulatedLaunch& launch, const Extent& block_index);

  // What follows is called by the running thread, through device_calls.cpp.

  // Waits for all live threads of the block; returns how many came with a predicate that is not zero.
  int barrier(bool predicate, int line);
  // Waits for the live lanes of the mask; returns what the source lane brought, and fills lanes unless null.
  std::uint64_t exchange(std::uint32_t mask, std::uint64_t mine, unsigned source, std::uint64_t* lanes,
                         int line);
  std::uint32_t active_mask() const;
  // Called before every memory access of a hooked kernel. Counts or checks it and, where races are to show,
  // now and then lets other threads go on first.
  void at_memory_access(const count::MemoryAccess& access);
  // Where structures are seen as they are moved, not as pieces.
  bool is_checking() const { return checker_ != nullptr; }
  void fence();
  // A kernel that is checked must not print without end. The code is where it goes on.
  void after_printing(std::size_t bytes, const void* code);
  // What the kernel did cannot be left to go on; its line or its code is known. Gives up the block.
  [[noreturn]] void fail_with(check::FoundDefect defect, std::string error);
  // Gives up the block. Does not return to the kernel, which need not be in a sound state.
  [[noreturn]] void fail(KernelFailure failure);

  const SimulatedLaunch& launch() const { return *launch_; }

  // "block 3 thread 17", with y and z where the block has them.
  std::string running_thread() const;

  // For signal handlers on the worker thread: whether a kernel's stack is in use, and whose code that is.
  bool in_kernel() const { return in_kernel_.load(std::memory_order_relaxed); }
  void leave_kernel() { in_kernel_.store(false, std::memory_order_relaxed); }
  const fault::KernelCode& code() const { return code_; }

  // For other threads: how many threads have returned so far, of all blocks; and a request to give up the
  // block at the next call from the kernel.
  std::uint64_t returned_threads() const { return returned_.load(std::memory_order_relaxed); }
  void ask_to_stop() { asked_to_stop_.store(true, std::memory_order_relaxed); }

  // Barriers that some threads never reached because they had returned: how many of them, by line.
  std::map<int, std::size_t> take_missed_barriers();
  // The memory accesses of a launch that was to count them, which ends the counting.
  std::vector<count::AccessSite> take_accesses();
  // What was wrong with a launch that was to be checked, which ends the checking.
  std::vector<check::FoundDefect> take_defects();

 private:
  enum class State : unsigned char { running, ready, at_barrier, in_warp, exited };

  // Kept small: a block's threads and the tops of their stacks should stay in the CPU's first cache.
  struct Thread {
    boost::context::fiber context;  // where it goes on, while it does not run
    State state = State::running;
    int line = 0;  // where it waits
  };

  // Why the threads of a block did not all return, where no failure says so.
  enum class Standstill : unsigned char { waiting, no_stack, time_limit };

  void start_block(const SimulatedLaunch& launch, const Extent& block_index);
  void check_dynamic_shared() const;
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
  void let_others_go_on();
  void count(const count::MemoryAccess& access);
  void check(const count::MemoryAccess& access);
  void start_checker(const SimulatedLaunch& launch);
  // The number of the thread that is started as the i-th.
  unsigned started_as(unsigned i) const { return is_reversed_ ? count_ - 1 - i : i; }
  void stop_if_asked(int line);
  [[noreturn]] void give_up();
  void after_exit(unsigned thread);
  bool release_barrier();
  void remark_missed_barrier(int line);
  void release_lanes(Warp& warp, std::size_t group);
  void make_ready(unsigned thread);
  void forget_fibers();
  KernelFailure standstill_explained() const;
  void add_standstill();
  void add_missed_barrier(int line);
  std::uint32_t number_of_block() const;
  std::string waiting_lines() const;

  FiberStacks stacks_;
  boost::context::fiber main_;               // the worker's own context, while a fiber runs
  std::vector<boost::context::fiber> idle_;  // fibers that wait for threads to carry
  boost::context::fiber* left_ = nullptr;    // where to keep the context that was just left

  const SimulatedLaunch* launch_ = nullptr;
  unsigned count_ = 0;  // threads of the block
  unsigned next_ = 0;   // how many of them have been started
  bool is_reversed_ = false, is_preempted_ = false;
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
  std::size_t printed_bytes_ = 0;                    // of this launch
  std::unique_ptr<count::AccessRecorder> recorder_;  // none unless the launch counts accesses
  std::unique_ptr<check::BlockChecker> checker_;     // none unless the launch is checked
  Standstill standstill_ = Standstill::waiting;
  std::optional<KernelFailure> failure_;
  std::vector<std::pair<int, std::size_t>> missed_barriers_;  // threads by line
  fault::KernelCode code_;
  std::atomic<bool> in_kernel_{false}, asked_to_stop_{false};
  std::atomic<std::uint64_t> returned_{0};
};

}  // namespace gpulab::simulator::schedule
