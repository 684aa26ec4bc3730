#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::schedule {

// Returns the number of CPUs that this process may use; in a container or under taskset the machine has more.
unsigned usable_cpus();

// The worker threads that run the blocks of launches: one for each usable CPU, or fewer if the system does
// not grant the memory mappings or the threads; more where blocks wait for others. They live as long as the
// device. A worker runs one block at a time.
class WorkerPool {
 public:
  // Throws DeviceError when not even one worker can be started.
  WorkerPool();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  struct Outcome {
    // The first failure. Blocks that other workers had begun were finished; no others were begun.
    std::optional<KernelFailure> failure;
    std::optional<KernelFailure> block_failure;  // the first one that ended only its block
    std::map<int, std::size_t> missed_barriers;  // line of a barrier -> threads that had returned before it
    std::vector<watch::AccessSite> accesses;     // of a counted launch, by worker
    std::vector<std::uint16_t> writers;          // AccessRecorder::writers()
    BlockSample sample;                          // of a launch that ran only a sample of its blocks
    std::vector<watch::FoundDefect> defects;     // of a checked launch, by worker
    std::vector<device::PeerTraffic> traffic;    // by kernels that call hooks at their accesses
    std::vector<BlockOutput> output;             // of printf, unless kernel_output() takes it
    std::vector<ChildLaunch> children;
    std::uint64_t fiber_switches = 0;
  };

  // Runs the launch's blocks and returns when they are done. A launch that makes no progress for
  // device::time_limit() is stopped and fails.
  Outcome run(const SimulatedLaunch& launch);

  // The number of workers that run a launch in parallel. A launch in order has one worker at a time.
  unsigned workers() const { return parallel_workers_; }

  // The functions by which a launch lets the host's own code go on.
  struct Host {
    // Pauses, then returns whether the host may still change the word at `address`.
    std::function<bool(std::uintptr_t address)> may_change;
    // Called again and again by the thread that waits for the launch.
    std::function<void()> on_pause;
  };
  void set_host(Host host) { host_ = std::move(host); }
  const Host& host() const { return host_; }

  enum class Turn {
    others_went_on,  // other blocks may have changed memory
    all_wait,        // no block has changed anything since `block` last passed on its turn
    stop,            // the launch has failed in another block
  };
  // Lets other blocks run, and returns when it is the turn of `block` again. Called on the worker of `block`
  // when only another block can make its threads go on. `has_changed_something`: whether `block` has changed
  // memory since its last turn.
  Turn pass_turn(const BlockScheduler& block, bool has_changed_something);
  // Lets another block run, although `block` could go on. Returns false when the launch has failed.
  bool let_another_block_go_on(const BlockScheduler& block);
  // Waits until all blocks of a cooperative launch have come to the grid's barrier. If a block has ended
  // without coming to it, returns all_wait.
  Turn await_grid(const BlockScheduler& block);
  // The most blocks of `threads` threads that are resident at once. A cooperative launch has no more.
  static std::size_t most_resident_blocks(std::size_t threads);
  // The number of blocks of the launch that have begun.
  std::size_t begun_blocks() const { return std::min(next_block_.load(), blocks_); }

 private:
  // Alignment of data that one worker writes often, so that other workers' data lie in other cache lines.
  static constexpr std::size_t worker_alignment = 128;

  struct alignas(worker_alignment) Worker {
    watch::FaultGuard guard;
    BlockScheduler scheduler;
    bool busy = false;
    bool is_at_grid_barrier = false;
    std::uint64_t generation = 0;  // of the launch that the worker works on
    std::vector<watch::FoundDefect> defects = {};
    std::condition_variable woken;  // for a launch, for its turn, or to end
    std::thread thread;
  };

  void add_worker();
  Worker& worker_of(const BlockScheduler& block);
  Worker* start_another(std::unique_lock<std::mutex>& lock);
  void pass_on_turn(const Worker& mine, bool may_start, std::unique_lock<std::mutex>& lock);
  void await_turn(Worker& worker, std::unique_lock<std::mutex>& lock);
  void give_turn_to(Worker* worker);
  void wake_all();
  void start(Worker& worker);
  Worker* next_busy(const Worker& after);
  void work(Worker& worker);
  void run_blocks(BlockScheduler& scheduler, const SimulatedLaunch& launch, const watch::KernelCode& code);
  void run_block(BlockScheduler& scheduler, const SimulatedLaunch& launch, std::size_t block);
  void run_half(BlockScheduler& scheduler, const SimulatedLaunch& launch);
  void run_sample(BlockScheduler& scheduler, const SimulatedLaunch& launch);
  void fail(KernelFailure failure);
  void note_end_of_block();
  void leave_grid_barrier();
  void wait(double limit_s, std::unique_lock<std::mutex>& lock);
  void stop_workers(std::unique_lock<std::mutex>& lock);
  std::uint64_t progress() const;

  Host host_;
  std::mutex mutex_;
  std::condition_variable finished_;
  const SimulatedLaunch* launch_ = nullptr;
  watch::KernelCode code_;  // of the current launch
  std::uint64_t generation_ = 0;
  unsigned busy_workers_ = 0;
  bool closing_ = false;
  alignas(worker_alignment) std::atomic<std::size_t> next_block_{0};
  alignas(worker_alignment) std::atomic<bool> failed_{false};
  std::size_t blocks_ = 0;
  std::size_t chunk_ = 1;  // blocks that a worker takes at once
  Outcome outcome_;
  unsigned parallel_workers_ = 0;
  // For a launch in order: the worker whose turn it is, and the number of turns in a row that have changed
  // nothing.
  Worker* turn_ = nullptr;
  std::size_t idle_turns_ = 0;
  std::size_t max_residents_ = 1;
  // For a cooperative launch: the blocks at the grid's barrier, the number of times that the barrier has
  // opened, and whether it cannot open any more.
  std::size_t blocks_at_grid_barrier_ = 0, opened_grid_barriers_ = 0;
  bool is_grid_incomplete_ = false;
  std::deque<Worker> workers_;  // those after the first parallel_workers_ serve only blocks that wait
};

}  // namespace gpulab::simulator::schedule
