#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/schedule/block_parts.hpp"
#include "simulator/schedule/fibers.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::schedule {

class WorkerPool;

// Runs the threads of one block at a time, on the worker thread that owns it.
//
// Most blocks need no scheduler: threads that wait for nothing take turns in a loop of the kernel's own
// object, and those that meet only at barriers in a ring, where each knows who is next. It takes over (in
// block_turns.cpp) when a thread calls for anything else, and is in charge from the start where the order is
// another one, or somebody watches.
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
  BlockScheduler(const BlockScheduler&) = delete;
  BlockScheduler& operator=(const BlockScheduler&) = delete;

  // That it belongs to, for blocks that wait for others; outlives it.
  void set_pool(WorkerPool& pool) { pool_ = &pool; }

  // To be called before the first block of a launch, on the worker's thread. The code is that around the
  // launch's function.
  void start_launch(const SimulatedLaunch& launch, const watch::KernelCode& code);

  // Runs every thread of the block to its end. Throws KernelFailure.
  void run(const SimulatedLaunch& launch, const Extent& block_index);

  // What follows is called by the running thread, through device_calls.cpp.

  // Waits for all live threads of the block; returns how many came with a predicate that is not zero.
  int barrier(bool predicate, int line);
  // Waits for the live lanes of the mask; returns what the source lane brought, and fills lanes unless null.
  std::uint64_t exchange(std::uint32_t mask, std::uint64_t mine, unsigned source, std::uint64_t* lanes,
                         int line);
  std::uint32_t active_mask(int line);
  // Called before every memory access of a hooked kernel. Counts or checks it and, where races are to show,
  // now and then lets other threads go on first.
  void at_memory_access(const watch::MemoryAccess& access);
  // Where structures are seen as they are moved, not as pieces.
  bool is_checking() const { return watchers_.checker() != nullptr; }
  void fence(watch::Scope scope);
  // malloc() and free() in a kernel. The code is where it goes on.
  void* take_memory(std::size_t bytes);
  void give_memory_back(void* memory, const void* code);
  // After an atomic that left the word as it was. The operand is what the thread brought to it.
  void after_idle_atomic(const void* address, std::size_t bytes, std::uint64_t operand, const void* code);
  void let_others_go_on();
  // A clock that shows the same at every run, where a launch is checked; none elsewhere.
  std::optional<long long> own_clock();
  // A kernel that is checked must not print without end, and what it prints is kept. The code is where it
  // goes on.
  void print(std::string_view text, const void* code);
  // What the kernel did cannot be left to go on; its line or its code is known. Gives up the block.
  [[noreturn]] void fail_with(watch::FoundDefect defect, std::string error);
  // Gives up the block. Does not return to the kernel, which need not be in a sound state.
  [[noreturn]] void fail(KernelFailure failure);

  const SimulatedLaunch& launch() const { return *launch_; }

  // "block 3 thread 17", with y and z where the block has them.
  std::string running_thread() const;

  // For signal handlers on the worker thread: whether a kernel's stack is in use, and whose code that is.
  bool in_kernel() const { return in_kernel_.load(std::memory_order_relaxed); }
  void leave_kernel() { in_kernel_.store(false, std::memory_order_relaxed); }
  const watch::KernelCode& code() const { return code_; }

  // For other threads: how many threads have returned so far, of all blocks; and a request to give up the
  // block at the next call from the kernel.
  // A loop's thread counts by its number.
  std::uint64_t returned_threads() const;
  // Times that all threads looked again for what they wait for, and found nothing new. There are not many.
  std::uint64_t looks_in_vain() const { return looks_in_vain_.load(std::memory_order_relaxed); }
  void ask_to_stop() { asked_to_stop_.store(true, std::memory_order_relaxed); }

  // Barriers that some threads never reached because they had returned: how many of them, by line.
  std::map<int, std::size_t> take_missed_barriers();
  std::vector<BlockOutput> take_output() { return std::exchange(output_, {}); }
  std::uint64_t take_fiber_switches() { return fibers_.take_switches(); }
  // What has been counted and found in the launch.
  Watchers& watchers() { return watchers_; }

 private:
  // Why the threads of a block did not all return, where no failure says so.
  enum class Standstill : unsigned char { waiting, endless_wait, no_stack, time_limit, abandoned };

  // Who says which thread goes on: a loop of the kernel's, the order of the ring, or the scheduler.
  enum class Turns : unsigned char { loop, ring, scheduled };

  void start_block(const SimulatedLaunch& launch, const Extent& block_index);
  void start_schedule();
  void start_turns();
  void run_loop();
  void run_ring();
  void take_seat();
  bool leave_ring();
  static void go_on_with_running(void*, void* const*);
  int barrier_in_ring(bool predicate, int line);
  Seat* first_behind_barrier(Seat& last) const;
  void open_barrier_in_ring();
  unsigned number_of(const Seat& seat) const { return static_cast<unsigned>(&seat - seats_.data()); }
  unsigned running_number() const;
  void add_returned(unsigned threads) {
    returned_.store(returned_.load(std::memory_order_relaxed) + threads, std::memory_order_relaxed);
  }
  // From here on the scheduler decides.
  void take_over() {
    if (turns_ != Turns::scheduled) [[unlikely]]
      take_over_turns();
  }
  void take_over_turns();
  void take_over_ring();
  // The number of the thread that is started as the i-th.
  unsigned started_as(unsigned i) const { return is_reversed_ ? count_ - 1 - i : i; }
  std::uint32_t number_of_block() const;

  void enter_thread(unsigned thread);
  [[noreturn]] void carry();
  Fiber carrier();
  void leave(Fiber& keep);
  void wait(ThreadState state, int line);
  void wake_those_who_wait_for(const watch::MemoryAccess& access);
  void settle_change() {
    if (change_) [[unlikely]]
      wake_for_change();
  }
  void wake_for_change();
  void look_at_word(const watch::MemoryAccess& access);
  void after_look(const watch::MemoryAccess& access);
  bool wake_waiting();
  void make_ready(unsigned thread);
  void after_exit(unsigned thread);
  bool release_barrier();
  void release_lanes(unsigned thread, std::size_t group);
  void answer_who_is_active();
  void answer_who_is_active(unsigned warp);

  void count(const watch::MemoryAccess& access);
  [[noreturn]] void stop_after(watch::BlockChecker::Verdict verdict, const watch::MemoryAccess& access);
  void remark_missed_barrier(int line);

  void stop_if_asked(int line);
  [[noreturn]] void give_up();
  void forget_fibers();
  KernelFailure standstill_explained() const;
  std::string waiting_lines() const;
  void add_standstill();
  void add_endless_wait();
  void add_missed_barrier(int line);

  const SimulatedLaunch* launch_ = nullptr;
  unsigned count_ = 0;  // threads of the block
  unsigned next_ = 0;   // how many of them have been started
  unsigned live_ = 0;   // how many have not returned
  unsigned current_ = 0;
  bool is_reversed_ = false, is_interrupted_ = false;
  Turns turns_ = Turns::scheduled, turns_of_launch_ = Turns::scheduled;
  std::vector<Seat> seats_;                           // by thread
  Seat* first_seat_ = nullptr;                        // of those that have not returned
  Seat* empty_seat_ = nullptr;                        // of the thread that begins next
  Seat* first_comer_ = nullptr;                       // to the barrier of the ring
  std::atomic<const LoopTurn*> loop_turn_ = nullptr;  // the worker's
  std::vector<Thread> threads_;
  Fibers fibers_;
  ReadyRing ready_;
  Barrier barrier_;
  Warps warps_;
  unsigned asking_who_is_active_ = 0;  // threads
  Interruptions interruptions_;
  Watchers watchers_;

  // Threads that wait for a word, how often they were woken in vain, and what tells whether anything has
  // changed since.
  Waits waits_;
  unsigned wakings_in_vain_ = 0;
  std::uint64_t steps_ = 0, steps_at_waking_ = 0;
  std::optional<watch::MemoryAccess> change_;  // by an atomic, which may turn out to leave the word as it is
  std::uintptr_t idle_word_ = 0;  // of the last atomic that changed nothing, where nothing is checked
  unsigned idle_thread_ = 0;
  WorkerPool* pool_ = nullptr;
  long long clock_ = 0;

  std::size_t printed_bytes_ = 0;  // of this launch
  std::vector<BlockOutput> output_;
  std::vector<std::pair<int, std::size_t>> missed_barriers_;  // threads by line
  Standstill standstill_ = Standstill::waiting;
  std::optional<KernelFailure> failure_;
  watch::KernelCode code_;
  std::atomic<bool> in_kernel_{false}, asked_to_stop_{false};
  std::atomic<std::uint64_t> returned_{0}, looks_in_vain_{0};
};

}  // namespace gpulab::simulator::schedule
