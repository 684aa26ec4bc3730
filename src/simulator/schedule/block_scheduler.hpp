#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/schedule/block_parts.hpp"
#include "simulator/schedule/fibers.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::schedule {

class WorkerPool;

// A cuda::barrier, with the layout of program/headers/async_copies.cuh.
struct PhaseBarrier {
  std::uint32_t expected = 0, missing = 0;  // threads
  std::uint32_t phase = 0;                  // goes up when no thread is missing
};

// Runs the threads of one block at a time, on the worker thread that owns the scheduler. Each thread of the
// block is run by a fiber, and a switch between threads is a context switch between fibers.
//
// Fibers are started lazily. A fiber runs one thread after another. Only when a thread has to wait, at a
// barrier or for other lanes of its warp, does a second fiber go on with the threads not yet started. So a
// kernel without barriers runs on one fiber, without any context switch.
//
// Most blocks do not need the run queue. Threads that never wait run in a loop inside the kernel's own
// object. Threads that wait at barriers only form a ring, in which each switches to the next. The scheduler
// takes over (in block_execution.cpp) when a thread needs anything else. The scheduler is in charge from the
// start for another thread order, or for a launch that is counted or checked.
//
// Kernels call the scheduler on their own small stacks, where any call can overflow. So it allocates nothing
// there, and makes explanations of failures on the worker's own stack where it can.
class BlockScheduler {
 public:
  BlockScheduler();
  ~BlockScheduler();
  BlockScheduler(const BlockScheduler&) = delete;
  BlockScheduler& operator=(const BlockScheduler&) = delete;

  // Sets the pool that owns the scheduler and outlives it, for blocks that wait for others.
  void set_pool(WorkerPool& pool) { pool_ = &pool; }

  // Prepares for the first block of a launch, on the worker's thread. `code`: address range of the shared
  // object that holds the kernel.
  void start_launch(const SimulatedLaunch& launch, const watch::KernelCode& code);

  // Runs every thread of the block to its end. Throws KernelFailure.
  void run(const SimulatedLaunch& launch, const Extent& block_index);

  // The running thread calls the following functions through device_calls.cpp.

  // Notes the return address of the running thread's next call of a function below. That call passes its
  // line, and the address tells its file.
  void note_call(const void* pc) {
    if (watch::BlockChecker* const checker = watchers_.checker()) checker->note_call(current_, pc);
  }
  // Waits for all live threads of the block. Returns the number of threads whose predicate is not zero.
  int barrier(bool predicate, int position);
  // bar.sync, or bar.arrive if `waits` is false, on named barrier `number` for `threads` threads.
  void named_barrier(unsigned number, unsigned threads, bool waits, int line);
  // Waits for all threads of the grid, in a cooperative launch.
  void grid_barrier(int line);
  // Waits for the live lanes of `mask`. If `lanes` is null, returns the value `mine` of lane `source`; else
  // writes the values of all lanes to `lanes`, and returns the lanes that have arrived.
  std::uint64_t exchange(LaneMask mask, std::uint64_t mine, unsigned source, std::uint64_t* lanes, int line);
  // __activemask(): returns the lanes of the warp that wait here together.
  LaneMask active_mask(int line);
  // Counts or checks a memory access of a hooked kernel, before it is made. In an interrupted launch, also
  // switches to other threads now and then, so that races show.
  void on_memory_access(const watch::MemoryAccess& access);
  // Does what on_memory_access() does, for a plain load or store.
  void on_plain_access(watch::MemoryAccess::Operation operation, std::uintptr_t address, std::size_t bytes,
                       std::uintptr_t pc);
  // Does the same in a few instructions, if the access is to the thread's own variables, or is made in a
  // block in which no races are looked for; otherwise returns false. Inlined into the hooks, which know the
  // size. `frame` is the hook's stack frame.
  [[gnu::always_inline]] bool try_quick_access(watch::MemoryAccess::Operation operation,
                                               std::uintptr_t address, std::size_t bytes, std::uintptr_t pc,
                                               std::uintptr_t frame) {
    watch::BlockChecker* const checker = watchers_.checker();
    if (!checker || !checker->allows_quick_access() || is_interrupted_) return try_own_access(address, frame);
    if (checker->try_own_access(address, frame)) return true;
    if (operation != watch::MemoryAccess::Operation::load && polling_.any_is_parked()) return false;
    return checker->try_unrecorded_access(current_, operation, address, bytes, pc);
  }
  [[gnu::always_inline]] bool try_own_access(std::uintptr_t address, std::uintptr_t frame) {
    watch::BlockChecker* const checker = watchers_.checker();
    return checker && !checker->needs_full_check() && !is_interrupted_ &&
           checker->try_own_access(address, frame);
  }
  // Returns whether accesses are checked. Then a copy of a structure is one access, not several.
  bool is_checking() const { return watchers_.checker() != nullptr; }
  void fence(watch::Scope scope);
  // cp.async: starts a copy to shared memory that goes on while the thread does. Unless the launch is
  // checked, the copy is made at once.
  void copy_async(const watch::AsyncCopy& copy);
  // cp.async.commit_group: ends the thread's group of copies.
  void commit_copies();
  // cp.async.wait_group: waits for the thread's groups of copies, except for the last `groups_to_keep`.
  void wait_for_copies(unsigned groups_to_keep);
  // Notes that `threads` threads arrive at a cuda::barrier, of which `leaving` take no part in later phases.
  void arrive(PhaseBarrier& barrier, unsigned threads, unsigned leaving, int line);
  // Notes that the thread has found a phase of the barrier ended.
  void after_wait(const PhaseBarrier& barrier);
  // malloc() and free() in a kernel. `pc` is the return address of the call.
  void* device_malloc(std::size_t bytes, const void* pc);
  void device_free(void* memory, const void* pc);
  // Notes that an atomic with the operand `operand` left the word at `address` unchanged.
  void after_unchanging_atomic(const void* address, std::size_t bytes, std::uint64_t operand, const void* pc);
  void let_others_run();
  // A launch by the running thread takes both calls: configure_child() passes the <<<...>>>, and then
  // launch_child() the kernel and its arguments. launch_child() returns false unless configure_child() came
  // before.
  void configure_child(const LaunchConfig& config, std::uintptr_t stream, std::uintptr_t issued_at);
  bool launch_child(const char* kernel, std::span<const std::byte> arguments, HostCall call,
                    std::uintptr_t pc);
  // Returns a time that is the same at every run of a checked launch; none in any other launch.
  std::optional<long long> reproducible_clock();
  // Prints, or keeps the first MiB of a launch's output. A checked launch that prints far more is ended.
  // `pc` is the return address of the call.
  void print(std::string_view text, const void* pc);
  // Logs the defect. `defect.party` has the line or the pc.
  void add(watch::FoundDefect defect);
  // Logs the defect and gives up the block, because the kernel cannot go on.
  [[noreturn]] void fail_with(watch::FoundDefect defect, std::string error);
  // Gives up the block. Does not return to the kernel, whose state need not be sound.
  [[noreturn]] void fail(KernelFailure failure);

  const SimulatedLaunch& launch() const { return *launch_; }
  WarpSize warp_size() const { return warp_size_; }

  // "block 3 thread 17", with y and z where the block has them.
  std::string running_thread() const;

  // For signal handlers on the worker thread: whether it runs on a kernel's stack, and the kernel's code.
  bool in_kernel() const { return in_kernel_.load(std::memory_order_relaxed); }
  void leave_kernel() { in_kernel_.store(false, std::memory_order_relaxed); }
  const watch::KernelCode& code() const { return code_; }

  // For other threads of the process: the number of kernel threads that have returned so far, in all blocks
  // that ran here. While a loop runs, its threads before the running one count as well.
  std::uint64_t returned_threads() const;
  // The number of times that all waiting threads polled again and found nothing new, or that a thread
  // printed. The time limit counts from the last of these events: a limit of polls or of output ends such
  // threads.
  std::uint64_t spurious_polls() const { return spurious_polls_.load(std::memory_order_relaxed); }
  void ask_to_stop() { asked_to_stop_.store(true, std::memory_order_relaxed); }

  // Returns the barriers that some threads never reached because they had returned: the line of each barrier,
  // with the number of these threads.
  std::map<int, std::size_t> take_missed_barriers();
  std::vector<ChildLaunch> take_children() { return std::exchange(children_, {}); }
  std::vector<BlockOutput> take_output() { return std::exchange(output_, {}); }
  std::uint64_t take_fiber_switches() { return fibers_.take_switches(); }
  // The recorder and the checker of the launch.
  Watchers& watchers() { return watchers_; }

 private:
  // The reason why threads of a block did not return, if there is no KernelFailure. `abandoned`: the launch
  // has failed in another block.
  enum class Standstill : unsigned char { waiting, endless_wait, no_stack, time_limit, abandoned };

  // The way in which the next thread is chosen: by a loop in the kernel's object, with barriers or without,
  // by the ring, or by the scheduler's run queue.
  enum class ExecutionMode : unsigned char { block, loop, ring, scheduled };

  void run_threads_of(const SimulatedLaunch& launch, const Extent& block_index);
  void start_block(const SimulatedLaunch& launch, const Extent& block_index);
  void start_schedule();
  void start_execution();
  void run_loop();
  void run_ring();
  void join_ring();
  bool leave_ring();
  static void resume_running(void*, void* const*);
  int barrier_in_ring(bool predicate, int position);
  RingNode* first_after_barrier(RingNode& last) const;
  void open_barrier_in_ring();
  unsigned switches_at_barrier() const;
  unsigned number_of(const RingNode& node) const { return static_cast<unsigned>(&node - nodes_.data()); }
  unsigned running_number() const;
  void add_returned(unsigned threads) {
    returned_.store(returned_.load(std::memory_order_relaxed) + threads, std::memory_order_relaxed);
  }
  // Leaves the loop or the ring for the run queue.
  void take_over() {
    if (mode_ != ExecutionMode::scheduled) [[unlikely]]
      leave_fast_mode();
  }
  void leave_fast_mode();
  void take_over_ring();
  // Returns the number of the thread that is the i-th to start.
  unsigned started_as(unsigned i) const { return is_reversed_ ? thread_count_ - 1 - i : i; }
  std::uint32_t number_of_block() const;

  void enter_thread(unsigned thread);
  [[noreturn]] void run_threads();
  Fiber idle_or_new_fiber();
  void switch_away(Fiber& from);
  void wait(ThreadState state, int position);
  void pause_block(const watch::MemoryAccess& access);
  void wake_first_waiter(const watch::MemoryAccess& access);
  void settle_change() {
    if (change_) [[unlikely]]
      wake_for_change();
  }
  void wake_for_change();
  void poll_or_wait(const watch::MemoryAccess& access);
  void after_poll(const watch::MemoryAccess& access);
  bool record_poll(const watch::MemoryAccess& access, std::uint64_t operand);
  bool wake_waiting();
  bool waits_for_host() const;
  void make_ready(unsigned thread);
  void after_exit(unsigned thread);
  bool release_barrier();
  void release_lanes(unsigned thread, std::size_t group_index);
  void note_absent_source(unsigned warp, const Warp::Group& group);
  watch::UndefinedValues::Origin origin_of_read(unsigned thread, const Warp::Group& group);
  void follow_undefined_values(unsigned warp, const Warp::Group& group);
  LaneMask existing_lanes(unsigned warp) const;
  void note_absent_lanes(unsigned warp, const Warp::Group& group);
  void answer_active_masks();
  void answer_active_masks_of_warp(unsigned first);  // the warp of thread `first`

  void count(const watch::MemoryAccess& access);
  void record(watch::AccessRecorder& recorder, const watch::MemoryAccess& access);
  void cut_off_if_endless(watch::AccessRecorder& recorder);
  void check(const watch::MemoryAccess& access);
  [[noreturn]] void stop_after(watch::BlockChecker::Verdict verdict, const watch::MemoryAccess& access);
  void record_missed_barrier(int line);
  [[noreturn]] void stop_at_grid_barrier(int line, const char* error, const char* why);

  void stop_if_asked(int line);  // 0: the line is unknown
  [[noreturn]] void give_up();
  void forget_fibers();
  KernelFailure standstill_explained() const;
  std::string line_of(unsigned thread) const;  // in which `thread` waits: "line 12 of sum.cuh"
  std::string waiting_lines() const;
  std::string missing_lanes(unsigned thread) const;
  int named_barrier_of(unsigned thread) const;
  std::string missing_arrivals(unsigned thread) const;
  void add_standstill();
  void add_endless_wait();
  bool add_wait_for_phase(unsigned thread, const watch::MemoryAccess& access);
  void add_missed_barrier(int line);

  const SimulatedLaunch* launch_ = nullptr;
  WarpSize warp_size_;
  unsigned thread_count_ = 0;   // threads in the block
  unsigned started_count_ = 0;  // threads started
  unsigned live_ = 0;           // threads that have not returned
  unsigned current_ = 0;
  bool is_reversed_ = false, is_interrupted_ = false;
  ExecutionMode mode_ = ExecutionMode::scheduled, mode_of_launch_ = ExecutionMode::scheduled;
  std::vector<RingNode> nodes_;                       // by thread
  RingNode* first_node_ = nullptr;                    // first in the ring
  RingNode* unstarted_node_ = nullptr;                // the next thread to start
  RingNode* first_arrived_ = nullptr;                 // first to arrive at the ring's barrier
  std::atomic<const LoopTurn*> loop_turn_ = nullptr;  // gpulab_loop_turn of the worker's thread
  std::vector<Thread> threads_;
  Fibers fibers_;
  RunQueue ready_;
  Barrier barrier_;
  std::array<NamedBarrier, NamedBarrier::count> named_barriers_;
  std::vector<const PhaseBarrier*> phase_barriers_;  // the block's, at which threads have arrived
  bool is_at_grid_barrier_ = false;
  Warps warps_;
  unsigned asking_for_active_mask_ = 0;  // threads
  Interruptions interruptions_;
  unsigned atomics_to_pause_ = 0;  // atomics on global memory up to the block's pause; 0 for no pause
  Watchers watchers_;

  // The threads that wait for a word to change, the number of their spurious wake-ups, and the number of all
  // threads' steps, now and when the waiting threads were last woken.
  PollingThreads polling_;
  unsigned spurious_wakeups_ = 0;
  std::uint64_t steps_ = 0, steps_at_waking_ = 0;
  std::optional<watch::MemoryAccess> change_;  // an atomic, until it is known whether it changed its word
  std::uintptr_t unchanged_word_ = 0;  // word of the last atomic that changed nothing, in an unchecked launch
  unsigned unchanging_thread_ = 0;
  WorkerPool* pool_ = nullptr;
  long long clock_ = 0;

  std::size_t printed_bytes_ = 0;  // in this launch
  std::vector<BlockOutput> output_;
  std::vector<ChildLaunch> children_;
  std::vector<std::pair<int, std::size_t>> missed_barriers_;  // line, threads
  Standstill standstill_ = Standstill::waiting;
  std::optional<KernelFailure> failure_;
  watch::KernelCode code_;
  std::atomic<bool> in_kernel_{false}, asked_to_stop_{false};
  std::atomic<std::uint64_t> returned_{0}, spurious_polls_{0};
};

}  // namespace gpulab::simulator::schedule
