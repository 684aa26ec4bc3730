#include "device/simulator/worker_pool.hpp"

#include <sched.h>

#include <algorithm>

#include "device/simulator/block_scheduler.hpp"
#include "device/simulator/device_calls.hpp"
#include "device/simulator/kernel_fault.hpp"

namespace gpulab {
namespace {

// The CPUs that this process may use, which in a container or under taskset are fewer than the machine has.
unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

Extent block_index(const Extent& grid, std::size_t block) {
  return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
          static_cast<unsigned>(block / grid.x / grid.y)};
}

}  // namespace

WorkerPool::WorkerPool() {
  for (unsigned cpu = usable_cpus(); cpu > 0; --cpu) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  launched_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

WorkerPool::Outcome WorkerPool::run(const SimulatedLaunch& launch) {
  std::unique_lock lock(mutex_);
  launch_ = &launch;
  blocks_ = launch.config.grid.volume();
  // Large enough that workers seldom meet at the counter, small enough that they end together.
  chunk_ = std::clamp<std::size_t>(blocks_ / (threads_.size() * 64), 1, 64);
  next_block_ = 0;
  outcome_ = {};
  busy_ = workers();
  ++generation_;
  launched_.notify_all();
  finished_.wait(lock, [this] { return busy_ == 0; });
  return std::move(outcome_);
}

void WorkerPool::work() {
  const FaultGuard guard;
  BlockScheduler scheduler;
  set_scheduler(&scheduler);
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    launched_.wait(lock, [&] { return closing_ || generation_ != done; });
    if (closing_) return;
    done = generation_;
    const SimulatedLaunch& launch = *launch_;
    lock.unlock();
    run_blocks(scheduler, launch);
    lock.lock();
    for (const auto& [line, threads] : scheduler.take_missed_barriers())
      outcome_.missed_barriers[line] += threads;
    if (--busy_ == 0) finished_.notify_one();
  }
}

void WorkerPool::run_blocks(BlockScheduler& scheduler, const SimulatedLaunch& launch) {
  for (;;) {
    const std::size_t first = next_block_.fetch_add(chunk_, std::memory_order_relaxed);
    if (first >= blocks_) return;
    const std::size_t last = std::min(first + chunk_, blocks_);
    try {
      for (std::size_t block = first; block < last; ++block)
        scheduler.run(launch, block_index(launch.config.grid, block));
    } catch (KernelFailure& failure) {
      next_block_ = blocks_;
      const std::lock_guard lock(mutex_);
      if (!outcome_.failure) outcome_.failure = std::move(failure);
      return;
    }
  }
}

}  // namespace gpulab
