#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::schedule {

// The CPUs that this process may use, which in a container or under taskset are fewer than the machine has.
unsigned usable_cpus();

// One worker thread for each usable CPU, kept for the life of the device, or fewer where the system does not
// grant the memory mappings or the threads for so many. A worker runs one block at a time.
class WorkerPool {
 public:
  // Throws DeviceError when not even one worker can be started.
  WorkerPool();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  struct Outcome {
    // The first. Blocks that other workers had begun were run to their end; no others were.
    std::optional<KernelFailure> failure;
    std::map<int, std::size_t>
        missed_barriers;  // threads that had returned when others met at a barrier, by line
    std::vector<watch::AccessSite> accesses;   // by worker, where the launch counts them
    std::vector<watch::FoundDefect> defects;   // by worker, where it is checked
    std::vector<device::PeerTraffic> traffic;  // by kernels whose accesses are seen
    std::vector<BlockOutput> output;           // of printf, where it is checked
    std::uint64_t fiber_switches = 0;
  };

  // Runs all blocks of the launch and returns when they are done. A launch that makes no progress for
  // time_limit() is stopped, and has failed.
  Outcome run(const SimulatedLaunch& launch);

  // That run the blocks of a launch together, unless it goes in order.
  unsigned workers() const { return parallel_; }

  // For a block that only another block can help, on its worker's thread: lets others go on, and returns when
  // it is the block's turn again. The block may have changed something since it was last here.
  enum class Turn {
    others_went_on,  // something may have changed
    all_wait,        // nobody has changed anything since this block was last here
    stop,            // the launch has failed elsewhere
  };
  Turn pass_turn(const BlockScheduler& block, bool has_changed_something);
  // How many blocks of the launch have begun.
  std::size_t begun_blocks() const { return std::min(next_block_.load(), blocks_); }

 private:
  // What one worker writes all the time shares no cache line with what another one needs.
  static constexpr std::size_t apart = 128;

  struct alignas(apart) Worker {
    watch::FaultGuard guard;
    BlockScheduler scheduler;
    bool busy = false;
    std::uint64_t generation = 0;  // of the launch that it works on
    std::thread thread;
  };

  void add_worker();
  Worker& worker_of(const BlockScheduler& block);
  bool start_another(std::unique_lock<std::mutex>& lock);
  void await_turn(Worker& worker, std::unique_lock<std::mutex>& lock);
  Worker* next_busy(const Worker& after);
  void work(Worker& worker);
  void run_blocks(BlockScheduler& scheduler, const SimulatedLaunch& launch, const watch::KernelCode& code);
  void fail(KernelFailure failure);
  void wait(double limit, std::unique_lock<std::mutex>& lock);
  void stop_workers(std::unique_lock<std::mutex>& lock);
  std::uint64_t progress() const;

  std::mutex mutex_;
  std::condition_variable launched_, finished_, turned_;
  const SimulatedLaunch* launch_ = nullptr;
  watch::KernelCode code_;  // of the launch
  std::uint64_t generation_ = 0;
  unsigned busy_ = 0;
  bool closing_ = false;
  alignas(apart) std::atomic<std::size_t> next_block_{0};
  alignas(apart) std::atomic<bool> failed_{false};
  std::size_t blocks_ = 0;
  std::size_t chunk_ = 1;
  Outcome outcome_;
  unsigned parallel_ = 0;
  // Of a launch that goes in order: who is running, and how many turns in a row have changed nothing.
  Worker* turn_ = nullptr;
  std::size_t idle_turns_ = 0;
  std::size_t most_residents_ = 1;
  std::deque<Worker> workers_;  // those behind the first parallel_ serve only launches in order
};

}  // namespace gpulab::simulator::schedule
