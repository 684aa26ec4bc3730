#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "simulator/fault/kernel_fault.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/launch.hpp"

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
    std::vector<count::AccessSite> accesses;  // by worker, where the launch counts them
    std::vector<check::FoundDefect> defects;  // by worker, where it is checked
  };

  // Runs all blocks of the launch and returns when they are done. A launch that makes no progress for
  // time_limit() is stopped, and has failed.
  Outcome run(const SimulatedLaunch& launch);

  unsigned workers() const { return static_cast<unsigned>(workers_.size()); }

 private:
  struct Worker {
    fault::FaultGuard guard;
    BlockScheduler scheduler;
    bool busy = false;
    std::thread thread;
  };

  void work(Worker& worker);
  void run_blocks(BlockScheduler& scheduler, const SimulatedLaunch& launch, const fault::KernelCode& code);
  void fail(KernelFailure failure);
  void wait(double limit, std::unique_lock<std::mutex>& lock);
  void stop_workers(std::unique_lock<std::mutex>& lock);
  std::uint64_t returned_threads() const;

  std::mutex mutex_;
  std::condition_variable launched_, finished_;
  const SimulatedLaunch* launch_ = nullptr;
  fault::KernelCode code_;  // of the launch
  std::uint64_t generation_ = 0;
  unsigned busy_ = 0;
  bool closing_ = false;
  std::atomic<std::size_t> next_block_{0};
  std::atomic<bool> failed_{false};
  std::size_t blocks_ = 0;
  std::size_t chunk_ = 1;
  Outcome outcome_;
  std::deque<Worker> workers_;
};

}  // namespace gpulab::simulator::schedule
