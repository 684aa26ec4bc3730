#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "device/simulator/simulated_launch.hpp"

namespace gpulab {

// One worker thread for each CPU, kept for the life of the device. A worker runs one block at a time.
class WorkerPool {
 public:
  WorkerPool();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  struct Outcome {
    std::optional<KernelFailure> failure;  // the first; no further blocks were started after it
    std::map<int, std::size_t>
        missed_barriers;  // threads that had returned when others met at a barrier, by line
  };

  // Runs all blocks of the launch and returns when they are done.
  Outcome run(const SimulatedLaunch& launch);

  unsigned workers() const { return static_cast<unsigned>(threads_.size()); }

 private:
  void work();
  void run_blocks(class BlockScheduler& scheduler, const SimulatedLaunch& launch);

  std::mutex mutex_;
  std::condition_variable launched_, finished_;
  const SimulatedLaunch* launch_ = nullptr;
  std::uint64_t generation_ = 0;
  unsigned busy_ = 0;
  bool closing_ = false;
  std::atomic<std::size_t> next_block_{0};
  std::size_t blocks_ = 0;
  std::size_t chunk_ = 1;
  Outcome outcome_;
  std::vector<std::thread> threads_;
};

}  // namespace gpulab
