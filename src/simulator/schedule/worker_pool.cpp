#include "simulator/schedule/worker_pool.hpp"

#include <sched.h>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <set>

#include "base/descriptor.hpp"
#include "device/host.hpp"
#include "simulator/schedule/hooks.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::schedule {
namespace {

// Returns the number of workers whose stacks, for a block of 1024 threads and some to spare, fit into the
// mappings that Linux grants a process.
std::size_t workers_with_stacks() {
  std::size_t mappings = 65530;  // Linux's default
  std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
  return std::max<std::size_t>(1, mappings / FiberStacks::mappings_per_stack / 1100);
}

constexpr std::size_t max_workers = 256;

Extent block_index(const Extent& grid, std::size_t block) {
  return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
          static_cast<unsigned>(block / grid.x / grid.y)};
}

}  // namespace

std::size_t WorkerPool::most_resident_blocks(std::size_t threads) {
  constexpr std::size_t threads_at_once = 16 * 1024;  // of the 8 multiprocessors that a program sees
  return std::min(max_workers, threads_at_once / std::max<std::size_t>(threads, 1));
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

WorkerPool::WorkerPool() {
  const std::size_t wanted = std::min<std::size_t>(usable_cpus(), workers_with_stacks());
  try {
    while (workers_.size() < wanted) add_worker();
  } catch (const std::exception& refused) {
    if (workers_.empty())
      throw device::DeviceError("starting the simulator", "CUDA_ERROR_OUT_OF_MEMORY",
                                std::string("no thread could be started to run kernels on (") +
                                    refused.what() +
                                    "); raise the limits of memory and processes (ulimit -v, ulimit -u)");
  }
  parallel_workers_ = static_cast<unsigned>(workers_.size());
}

void WorkerPool::add_worker() {
  Worker& worker = workers_.emplace_back();
  worker.scheduler.set_pool(*this);
  try {
    worker.thread = std::thread([this, &worker] { work(worker); });
  } catch (...) {
    workers_.pop_back();
    throw;
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_all();
  for (Worker& worker : workers_) worker.thread.join();
}

WorkerPool::Outcome WorkerPool::run(const SimulatedLaunch& launch) {
  const double limit_s = device::time_limit();
  std::unique_lock lock(mutex_);
  launch_ = &launch;
  code_ = watch::code_around(launch.function);
  blocks_ = launch.config.grid.volume();
  const bool is_cooperative = launch.config.cooperative;
  // Large enough that workers seldom contend for the counter, small enough that workers finish together.
  chunk_ = launch.in_order || is_cooperative
               ? 1
               : std::clamp<std::size_t>(blocks_ / (parallel_workers_ * 64), 1, 64);
  next_block_ = launch.config.first_block;
  failed_ = false;
  outcome_ = {};
  ++generation_;
  blocks_at_grid_barrier_ = opened_grid_barriers_ = 0;
  is_grid_incomplete_ = false;
  busy_workers_ = launch.runs_in_halves()                       ? 2
                  : launch.in_order || launch.counts_in_order() ? 1
                  : is_cooperative ? static_cast<unsigned>(blocks_)  // each may wait for all others
                                   : parallel_workers_;
  try {
    while (workers_.size() < busy_workers_) add_worker();
  } catch (const std::exception& refused) {
    throw device::DeviceError(
        "cuLaunchCooperativeKernel", "CUDA_ERROR_OUT_OF_MEMORY",
        std::string("there are no threads for so many blocks (") + refused.what() + ")");
  }
  for (unsigned i = 0; i < busy_workers_; ++i) start(workers_[i]);
  turn_ = &workers_.front();
  idle_turns_ = 0;
  max_residents_ = std::max<std::size_t>(1, most_resident_blocks(launch.config.block.volume()));
  wait(limit_s, lock);
  // Collected by worker, since workers end in any order when a launch fails.
  for (Worker& worker : workers_)
    std::ranges::move(std::exchange(worker.defects, {}), std::back_inserter(outcome_.defects));
  return std::move(outcome_);
}

void WorkerPool::work(Worker& worker) {
  worker.guard.protect_this_thread();
  set_scheduler(&worker.scheduler);
  std::uint64_t last_generation = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    worker.woken.wait(lock, [&] { return closing_ || worker.generation != last_generation; });
    if (closing_) return;
    last_generation = worker.generation;
    if (launch_->in_order) await_turn(worker, lock);
    const SimulatedLaunch& launch = *launch_;
    const watch::KernelCode code = code_;
    lock.unlock();
    run_blocks(worker.scheduler, launch, code);
    lock.lock();
    for (const auto& [line, threads] : worker.scheduler.take_missed_barriers())
      outcome_.missed_barriers[line] += threads;
    if (const auto recorder = worker.scheduler.watchers().take_recorder()) {
      const std::vector<watch::AccessSite>& accesses = recorder->sites();
      outcome_.accesses.insert(outcome_.accesses.end(), accesses.begin(), accesses.end());
      if (!recorder->writers().empty()) outcome_.writers = recorder->writers();
      if (launch.has_footprints()) {
        outcome_.sample.add(recorder->sample());
        outcome_.sample.of_blocks = blocks_;
      }
    }
    worker.defects = worker.scheduler.watchers().take_defects();
    for (const device::PeerTraffic& traffic : worker.scheduler.watchers().peers().take())
      watch::add_traffic(outcome_.traffic, traffic);
    std::ranges::move(worker.scheduler.take_output(), std::back_inserter(outcome_.output));
    std::ranges::move(worker.scheduler.take_children(), std::back_inserter(outcome_.children));
    outcome_.fiber_switches += worker.scheduler.take_fiber_switches();
    worker.busy = false;
    idle_turns_ = 0;
    give_turn_to(next_busy(worker));
    if (--busy_workers_ == 0) finished_.notify_one();
  }
}

void WorkerPool::run_blocks(BlockScheduler& scheduler, const SimulatedLaunch& launch,
                            const watch::KernelCode& code) try {
  scheduler.start_launch(launch, code);
  if (launch.runs_in_halves()) return run_half(scheduler, launch);
  if (launch.counts_in_order()) return run_sample(scheduler, launch);
  const bool is_reversed = launch.order.kind == device::ThreadOrder::Kind::reverse;
  for (;;) {
    const std::size_t first = next_block_.fetch_add(chunk_, std::memory_order_relaxed);
    const std::size_t last = std::min(first + chunk_, blocks_);
    for (std::size_t block = first; block < last; ++block) {
      if (failed_.load(std::memory_order_relaxed)) return;
      run_block(scheduler, launch, is_reversed ? launch.config.first_block + blocks_ - 1 - block : block);
      if (launch.config.cooperative) note_end_of_block();
    }
    if (last == blocks_ || first >= blocks_) return;
  }
} catch (const device::DeviceError& error) {
  fail({error.name(), error.explanation(), error.failure()});
} catch (const KernelFailure& failure) {
  fail(failure);
} catch (const std::exception& error) {
  fail({"CUDA_ERROR_OUT_OF_MEMORY", std::string("the simulator could not run a block: ") + error.what()});
}

void WorkerPool::run_block(BlockScheduler& scheduler, const SimulatedLaunch& launch, std::size_t block) try {
  scheduler.run(launch, block_index(launch.config.grid, block));
} catch (const KernelFailure& failure) {
  if (!launch.continues_after_block_failure || !failure.lets_gpu_go_on()) throw;
  const std::lock_guard lock(mutex_);
  if (!outcome_.block_failure) outcome_.block_failure = failure;
}

// Runs one half of the blocks: the worker that comes first runs the first half, another one the second. There
// are two halves on every machine, so that no count depends on its number of CPUs. Pairs of neighbouring
// blocks stay together.
void WorkerPool::run_half(BlockScheduler& scheduler, const SimulatedLaunch& launch) {
  const std::size_t first = launch.config.first_block, middle = first + (blocks_ - first) / 4 * 2;
  const bool is_first_half = next_block_.fetch_add(1) == first;
  const std::size_t end = is_first_half ? middle : blocks_;
  for (std::size_t block = is_first_half ? first : middle; block < end && !failed_; ++block)
    scheduler.run(launch, block_index(launch.config.grid, block));
}

// Runs the first block, which may do what no other does. Then runs pairs of neighbouring blocks, which show
// whether blocks update the same words. The pairs' positions in the grid are a van der Corput sequence, 1/2,
// 1/4, 3/4, 1/8, ..., so they are spread over the grid however many of them are run.
void WorkerPool::run_sample(BlockScheduler& scheduler, const SimulatedLaunch& launch) {
  constexpr std::size_t max_pairs = 64;
  const std::size_t first = launch.config.first_block, pairs = (blocks_ - first + 1) / 2;
  scheduler.run(launch, block_index(launch.config.grid, first));
  std::set<std::size_t> begun;
  for (std::size_t i = 1; begun.size() < std::min(pairs, max_pairs); ++i) {
    double position = 0, weight = 0.5;
    for (std::size_t bits = i % (2 * max_pairs); bits > 0; bits >>= 1, weight /= 2)
      position += weight * static_cast<double>(bits & 1);
    const auto pair = static_cast<std::size_t>(position * static_cast<double>(pairs));
    if (!begun.insert(pair).second) continue;
    for (std::size_t block = std::max(first + 1, first + 2 * pair);
         block < std::min(first + 2 * pair + 2, blocks_); ++block) {
      if (failed_.load(std::memory_order_relaxed)) return;
      scheduler.run(launch, block_index(launch.config.grid, block));
      const watch::AccessRecorder* const recorder = scheduler.watchers().recorder();
      const bool is_enough = recorder && recorder->accesses() >= launch.accesses_to_sample;
      const bool is_pair = block % 2 != first % 2;
      if (is_enough && (is_pair || !recorder->has_global_atomics())) return;
    }
  }
}

void WorkerPool::fail(KernelFailure failure) {
  failed_ = true;
  const std::lock_guard lock(mutex_);
  if (!outcome_.failure) outcome_.failure = std::move(failure);
  wake_all();
}

// ---- Launches in order ------------------------------------------------------------------------------------

WorkerPool::Worker& WorkerPool::worker_of(const BlockScheduler& block) {
  return *std::ranges::find_if(workers_, [&](const Worker& worker) { return &worker.scheduler == &block; });
}

// Returns the next busy worker in turn, which may be the same; null when there is none.
WorkerPool::Worker* WorkerPool::next_busy(const Worker& after) {
  const std::size_t from = static_cast<std::size_t>(
      std::ranges::find_if(workers_, [&](const Worker& worker) { return &worker == &after; }) -
      workers_.begin());
  for (std::size_t i = 1; i <= workers_.size(); ++i)
    if (Worker& worker = workers_[(from + i) % workers_.size()]; worker.busy && !worker.is_at_grid_barrier)
      return &worker;
  return nullptr;
}

void WorkerPool::await_turn(Worker& worker, std::unique_lock<std::mutex>& lock) {
  worker.woken.wait(lock, [&] { return turn_ == &worker || failed_.load(); });
}

// Gives the turn to a worker, and wakes only that one: of hundreds of blocks that wait, one goes on.
void WorkerPool::give_turn_to(Worker* worker) {
  turn_ = worker;
  if (worker) worker->woken.notify_one();
}

void WorkerPool::wake_all() {
  for (Worker& worker : workers_) worker.woken.notify_one();
}

void WorkerPool::start(Worker& worker) {
  worker.busy = true;
  worker.generation = generation_;
  worker.woken.notify_one();
}

// Starts another block on an idle worker. Returns the worker; null when all have begun, or no more can.
WorkerPool::Worker* WorkerPool::start_another(std::unique_lock<std::mutex>&) {
  if (next_block_ >= blocks_ || busy_workers_ >= max_residents_) return nullptr;
  auto idle = std::ranges::find_if(workers_, [](const Worker& worker) { return !worker.busy; });
  try {
    if (idle == workers_.end()) {
      add_worker();
      idle = std::prev(workers_.end());
    }
  } catch (const std::exception&) {
    max_residents_ = busy_workers_;
    return nullptr;
  }
  start(*idle);
  ++busy_workers_;
  return &*idle;
}

// Gives the turn to another block, a new one if there is any.
void WorkerPool::pass_on_turn(const Worker& mine, bool may_start, std::unique_lock<std::mutex>& lock) {
  Worker* const started = may_start ? start_another(lock) : nullptr;
  if (started) idle_turns_ = 0;
  give_turn_to(started ? started : next_busy(mine));
}

bool WorkerPool::let_another_block_go_on(const BlockScheduler& block) {
  constexpr unsigned max_taking_turns = 2;  // blocks: this one, and another that shows a lost update
  std::unique_lock lock(mutex_);
  Worker& mine = worker_of(block);
  idle_turns_ = 0;
  pass_on_turn(mine, busy_workers_ < max_taking_turns, lock);
  if (turn_ != &mine) await_turn(mine, lock);
  return !failed_;
}

WorkerPool::Turn WorkerPool::pass_turn(const BlockScheduler& block, bool has_changed_something) {
  std::unique_lock lock(mutex_);
  Worker& mine = worker_of(block);
  idle_turns_ = has_changed_something ? 0 : idle_turns_ + 1;
  pass_on_turn(mine, /*may_start=*/true, lock);
  if (turn_ != &mine) await_turn(mine, lock);
  if (failed_) return Turn::stop;
  return idle_turns_ >= busy_workers_ ? Turn::all_wait : Turn::others_went_on;
}

// ---- Barriers of the grid ---------------------------------------------------------------------------------

WorkerPool::Turn WorkerPool::await_grid(const BlockScheduler& block) {
  std::unique_lock lock(mutex_);
  if (launch_->counts_in_order()) return Turn::others_went_on;  // its blocks run one by one
  Worker& mine = worker_of(block);
  const std::size_t opened = opened_grid_barriers_;
  idle_turns_ = 0;
  if (++blocks_at_grid_barrier_ == blocks_) {
    blocks_at_grid_barrier_ = 0;
    ++opened_grid_barriers_;
    if (launch_->watch) launch_->watch->grid_barriers.open();
    leave_grid_barrier();
    return Turn::others_went_on;
  }
  if (is_grid_incomplete_) return Turn::all_wait;
  mine.is_at_grid_barrier = true;
  if (launch_->in_order) {
    pass_on_turn(mine, /*may_start=*/true, lock);
    is_grid_incomplete_ = !turn_;  // the system has refused a thread
  }
  if (is_grid_incomplete_) return Turn::all_wait;
  mine.woken.wait(lock, [&] { return !mine.is_at_grid_barrier || failed_; });
  if (launch_->in_order) await_turn(mine, lock);
  if (failed_) return Turn::stop;
  return opened_grid_barriers_ == opened ? Turn::all_wait : Turn::others_went_on;
}

// Lets all blocks go on that wait for the grid.
void WorkerPool::leave_grid_barrier() {
  for (Worker& worker : workers_) worker.is_at_grid_barrier = false;
  wake_all();
}

// Notes that a block has ended: a block that waits at the grid barrier, now or later, can never pass it.
void WorkerPool::note_end_of_block() {
  const std::lock_guard lock(mutex_);
  is_grid_incomplete_ = true;
  leave_grid_barrier();
}

// ---- Launches that never end ------------------------------------------------------------------------------

// Waits for the launch to end, up to a limit without progress. The limit is one of this process's CPU time,
// so that no kernel is stopped because the machine is busy. A small share of wall-clock time is added, since
// a launch whose threads all sleep uses no CPU time.
void WorkerPool::wait(double limit_s, std::unique_lock<std::mutex>& lock) {
  constexpr double wall_clock_share = 0.05;
  const auto now_s = [](clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto time_s = [&] {
    const unsigned at_once = launch_->in_order ? 1 : parallel_workers_;
    return now_s(CLOCK_PROCESS_CPUTIME_ID) / at_once + wall_clock_share * now_s(CLOCK_MONOTONIC);
  };
  constexpr double pause_for_host_s = 1e-3;
  // If no thread has returned for this time, the running blocks may be waiting for a block that has not
  // begun.
  constexpr double stall_s = 0.25;
  const bool may_need_others = !launch_->in_order && !launch_->counts_in_order();
  const std::chrono::duration<double> interval(
      host_.on_pause ? pause_for_host_s : std::min({limit_s / 8, stall_s, seconds_between_stop_requests}));
  std::uint64_t progress_before = progress();
  double last_progress_s = time_s(), last_start_s = last_progress_s;
  while (!finished_.wait_for(lock, interval, [this] { return busy_workers_ == 0; })) {
    if (host_.on_pause) host_.on_pause();
    const std::uint64_t progress_now = progress();
    const double waited_s = progress_now == progress_before ? time_s() - last_progress_s : 0;
    if (waited_s >= limit_s || must_kernel_stop()) return stop_workers(lock);
    if (may_need_others && std::min(waited_s, time_s() - last_start_s) >= stall_s && start_another(lock))
      last_start_s = time_s();
    if (progress_now != progress_before) last_progress_s = time_s();
    progress_before = progress_now;
  }
}

// Stops all workers. At first it interrupts a thread only in the kernel's own code, where the line is known.
// A thread that spins through the scheduler is seldom there, so after a while the schedulers are asked, too.
void WorkerPool::stop_workers(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds pause(2);
  constexpr int attempts_before_asking = 50;  // 0.1 s
  for (int attempt = 0; !finished_.wait_for(lock, pause, [this] { return busy_workers_ == 0; }); ++attempt)
    for (Worker& worker : workers_) {
      if (!worker.busy) continue;
      watch::interrupt_kernel(worker.thread.native_handle());
      if (attempt >= attempts_before_asking) worker.scheduler.ask_to_stop();
    }
}

// Returns a number that grows while the launch makes progress. A poll that finds no change counts too: an
// infinite wait is found after a number of polls, however slow the machine is.
std::uint64_t WorkerPool::progress() const {
  std::uint64_t sum = 0;
  for (const Worker& worker : workers_)
    sum += worker.scheduler.returned_threads() + worker.scheduler.spurious_polls();
  return sum;
}

}  // namespace gpulab::simulator::schedule
