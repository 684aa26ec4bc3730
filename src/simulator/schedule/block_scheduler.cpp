#include "simulator/schedule/block_scheduler.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

#include "simulator/schedule/hooks.hpp"
#include "simulator/schedule/worker_pool.hpp"

namespace gpulab::simulator::schedule {
namespace {

constexpr const char* left_out_upper_half = "lanes 32 to 63 are not in the mask";
constexpr std::size_t max_missed_barriers = 64;  // more lines would help nobody

// Returns n for a block that pauses before its n-th atomic on global memory, so that another block runs; 0
// for a block that never pauses. With a small n the pause falls between two atomics of one thread, with a
// larger n between atomics of different threads.
unsigned atomics_up_to_pause(std::size_t block, unsigned threads) {
  constexpr std::size_t max_pauses = 16;
  if (block % 2 != 0 || block >= 2 * max_pauses) return 0;
  constexpr unsigned early[] = {2, 1, 3};
  const std::size_t kind = block / 2 % 4;
  return kind < 3 ? early[kind] : 1 + static_cast<unsigned>(37 * block % threads);  // 37 spreads the blocks
}

}  // namespace

BlockScheduler::BlockScheduler() : fibers_([] { scheduler_of_this_thread()->run_threads(); }) {}
BlockScheduler::~BlockScheduler() {
  forget_fibers();
}

void BlockScheduler::start_launch(const SimulatedLaunch& launch, const watch::KernelCode& code) {
  code_ = code;
  asked_to_stop_ = false;
  printed_bytes_ = 0;
  output_.clear();
  children_.clear();
  watchers_.start_launch(launch);
  launch_ = &launch;
  warp_size_ = launch.warp_size;
  thread_count_ = static_cast<unsigned>(launch.config.block.volume());
  is_reversed_ = launch.order.kind == device::ThreadOrder::Kind::reverse;
  is_interrupted_ = launch.instrumentation == device::Instrumentation::interrupted ||
                    launch.order.kind == device::ThreadOrder::Kind::preempted;
  for (NamedBarrier& barrier : named_barriers_) barrier.waiting.reserve(thread_count_);
  phase_barriers_.reserve(NamedBarrier::count);
  start_schedule();
  start_execution();
}

// Reserves all that the threads may need, so that they run without an allocation. A kernel's thread may call
// this function, too, since everything is reserved by then.
void BlockScheduler::start_schedule() {
  spurious_wakeups_ = 0;
  steps_ = steps_at_waking_ = 0;
  clock_ = 0;
  change_.reset();
  polling_.start(thread_count_);
  asking_for_active_mask_ = 0;
  threads_.resize(std::max<std::size_t>(threads_.size(), thread_count_));
  ready_.start(thread_count_);
  warps_.start(thread_count_, warp_size_);
  fibers_.reserve(thread_count_);
  missed_barriers_.reserve(max_missed_barriers);
}

void BlockScheduler::start_block(const SimulatedLaunch& launch, const Extent& block_index) {
  live_ = thread_count_;
  started_count_ = 0;
  standstill_ = Standstill::waiting;
  set_grid_and_block(launch.config, block_index);
  unchanged_word_ = 0;
  is_at_grid_barrier_ = false;
  barrier_.start(thread_count_);
  phase_barriers_.clear();
  for (NamedBarrier& barrier : named_barriers_) {
    barrier.arrived = 0;
    barrier.waiting.clear();
  }
  mode_ = mode_of_launch_;
  if (mode_ == ExecutionMode::scheduled) {
    start_schedule();
  } else {
    fibers_.forget_idle();
    nodes_.front().previous = nullptr;
    first_node_ = &nodes_.front();
    gpulab_ring = {.running = first_node_};
    gpulab_loop_turn = {};
    threadIdx = {};
  }
  interruptions_.start((2654435761u * (block_index.x + 1) + block_index.y + block_index.z) ^
                       (launch.order.seed - 1));
  atomics_to_pause_ = launch.order.kind == device::ThreadOrder::Kind::preempted && launch.in_order
                          ? atomics_up_to_pause(number_of_block(), thread_count_)
                          : 0;
  const SharedMemory& shared = launch.shared;
  set_shared_memory(shared.dynamic_address() - shared.dynamic_offset, shared.module_bytes);
  fill_with_garbage(shared);
  watchers_.start_block(launch, number_of_block(), thread_count_);
}

void BlockScheduler::run_threads_of(const SimulatedLaunch& launch, const Extent& block_index) {
  start_block(launch, block_index);
  if (Fiber first = idle_or_new_fiber()) {
    in_kernel_.store(true, std::memory_order_relaxed);
    fibers_.switch_to(std::move(first), fibers_.worker());
    leave_kernel();
  }
}

void BlockScheduler::run(const SimulatedLaunch& launch, const Extent& block_index) {
  run_threads_of(launch, block_index);
  if (failure_ && mode_ == ExecutionMode::block && failure_->failure.kind != DefectKind::time_limit) {
    // In a function of a block, the compiler may move an access to another thread or line, so the block is
    // run again to name both. What it does twice does not matter: the launch fails.
    const std::optional<KernelFailure> first = std::exchange(failure_, std::nullopt);
    forget_fibers();
    mode_of_launch_ = kernels_can_switch_fibers ? ExecutionMode::ring : ExecutionMode::scheduled;
    run_threads_of(launch, block_index);
    if (live_ == 0) throw KernelFailure(*first);
  }
  if (live_ == 0 && !is_checking() && has_written_past_dynamic(launch.shared))
    throw KernelFailure{
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        fmt::format(
            "block {} wrote past the end of its dynamic shared memory: the launch gives it {} bytes (the third number between <<< and >>>)",
            block_index.x, launch.shared.dynamic_bytes),
        {.kind = DefectKind::not_enough_shared}};
  if (live_ == 0) return;
  if (is_checking()) add_standstill();
  forget_fibers();
  if (standstill_ == Standstill::no_stack) fibers_.unmap_stacks();
  if (!failure_) failure_ = standstill_explained();
  throw *std::exchange(failure_, std::nullopt);
}

// ---- Fibers -----------------------------------------------------------------------------------------------

// Returns an idle or new fiber. Without memory for a stack it is empty, and the block is at a standstill.
Fiber BlockScheduler::idle_or_new_fiber() {
  Fiber found = fibers_.idle_or_new();
  if (!found) standstill_ = Standstill::no_stack;
  return found;
}

// The function of a fiber: runs threads that have not started. When there are none, it switches to another
// fiber and becomes idle.
void BlockScheduler::run_threads() {
  if (mode_ == ExecutionMode::loop || mode_ == ExecutionMode::block)
    run_loop();
  else if (mode_ == ExecutionMode::ring)
    run_ring();
  for (;;) {
    while (started_count_ < thread_count_) {
      enter_thread(started_as(started_count_++));
      launch_->call(launch_->callee(), launch_->arguments);
      after_exit(current_);
    }
    switch_away(fibers_.add_idle_slot());
  }
}

inline void BlockScheduler::enter_thread(unsigned thread) {
  current_ = thread;
  threads_[thread].state = ThreadState::running;
  threadIdx = nodes_[thread].index;
}

// Stores the running fiber in `from`, and switches to whatever can run: a thread not yet started, else the
// first in the run queue, else the worker itself.
inline void BlockScheduler::switch_away(Fiber& from) {
  settle_change();
  if (started_count_ < thread_count_) {
    Fiber found = idle_or_new_fiber();
    return fibers_.switch_to(std::move(found ? found : fibers_.worker()), from);
  }
  if (ready_.empty()) [[unlikely]] {
    if (asking_for_active_mask_ > 0) answer_active_masks();
    if (ready_.empty() && (!polling_.any_is_parked() || !wake_waiting()))
      return fibers_.switch_to(std::move(fibers_.worker()), from);
  }
  const unsigned thread = ready_.pop();
  if (!ready_.empty()) prefetch_stack(threads_[ready_.front()].context);
  enter_thread(thread);
  Fiber& next = threads_[thread].context;
  if (&next != &from) fibers_.switch_to(std::move(next), from);
}

void BlockScheduler::wait(ThreadState state, int position) {
  Thread& thread = threads_[current_];
  thread.state = state;
  thread.position = position;
  switch_away(thread.context);
}

void BlockScheduler::make_ready(unsigned thread) {
  threads_[thread].state = ThreadState::ready;
  ready_.push(thread);
}

void BlockScheduler::let_others_run() {
  take_over();
  stop_if_asked(0);
  watchers_.settle();
  settle_change();
  if (started_count_ == thread_count_ && ready_.empty()) return;  // no other thread can run
  make_ready(current_);
  wait(ThreadState::ready, 0);
}

// ---- Barriers and warps -----------------------------------------------------------------------------------

int BlockScheduler::barrier(bool predicate, int position) {
  if (mode_ == ExecutionMode::ring && (gpulab_ring.barrier == position || gpulab_ring.barrier == 0))
    return barrier_in_ring(predicate, position);
  take_over();
  stop_if_asked(line_of_position(position));
  watchers_.settle();
  ++steps_;
  threads_[current_].position = position;
  barrier_.arrive(current_, predicate);
  if (!barrier_.has_all(live_) || !release_barrier()) wait(ThreadState::at_barrier, position);
  return barrier_.result();
}

// Opens the barrier, at which all live threads have arrived. The running thread, if it waits there too, goes
// on; the others become ready. Returns false when the threads wait at different barriers: then the block is
// at a standstill.
bool BlockScheduler::release_barrier() {
  const std::vector<unsigned>& arrived = barrier_.arrived();
  const Thread& first = threads_[arrived.front()];
  const int line = first.line();
  for (const unsigned thread : arrived)
    if (threads_[thread].position != first.position) return false;
  if (live_ < thread_count_) record_missed_barrier(line);
  watchers_.on_barrier(live_, line);
  for (const unsigned thread : arrived)
    if (threads_[thread].state == ThreadState::at_barrier) make_ready(thread);
  barrier_.open();
  return true;
}

// Waits for the grid: the block meets, one of its threads waits for the other blocks, the block meets again.
void BlockScheduler::grid_barrier(int line) {
  if (!launch_->config.cooperative)
    stop_at_grid_barrier(line, "CUDA_ERROR_LAUNCH_FAILED",
                         "a barrier of the grid stops a kernel that cudaLaunchCooperativeKernel has not "
                         "launched: not all of its blocks need to run at once");
  barrier(false, line);
  if (!std::exchange(is_at_grid_barrier_, true)) {
    if (watch::BlockChecker* const checker = watchers_.checker()) checker->on_grid_barrier();
    const WorkerPool::Turn turn = pool_->await_grid(*this);
    if (turn != WorkerPool::Turn::others_went_on) take_over();
    if (turn == WorkerPool::Turn::stop) {
      standstill_ = Standstill::abandoned;
      give_up();
    }
    if (turn == WorkerPool::Turn::all_wait)
      stop_at_grid_barrier(line, "CUDA_ERROR_LAUNCH_TIMEOUT",
                           "a barrier of the grid that one block will never reach, since it has ended");
  }
  barrier(false, line);
  is_at_grid_barrier_ = false;
}

void BlockScheduler::stop_at_grid_barrier(int line, const char* error, const char* why) {
  if (!is_checking())
    fail({error,
          fmt::format("{}, line {}, {}", why, line, running_thread()),
          {.kind = DefectKind::deadlock, .line = line}});
  watch::FoundDefect defect{.kind = DefectKind::deadlock, .party = {.line = line}};
  std::snprintf(defect.detail, sizeof defect.detail, "%s", why);
  fail_with(defect, error);
}

std::uint64_t BlockScheduler::exchange(LaneMask mask, std::uint64_t mine, unsigned source,
                                       std::uint64_t* lanes, int line) {
  take_over();
  stop_if_asked(line);
  watchers_.settle();
  ++steps_;
  const LaneMask lane = LaneMask{1} << warp_size_.lane_of(current_);
  if ((mask & lane) == 0) {
    const char* const detail = warp_size_.lanes() == 64 && mask >> 32 == 0 ? left_out_upper_half : "";
    if (watch::BlockChecker* const checker = watchers_.checker()) {
      watch::FoundDefect defect{
          .kind = DefectKind::wrong_mask, .ends_launch = true, .party = checker->party(current_, line)};
      std::snprintf(defect.detail, sizeof defect.detail, "%s", detail);
      checker->add(defect);
    }
    fail({"CUDA_ERROR_LAUNCH_FAILED",
          fmt::format("the mask of the warp operation in line {} leaves out the lane that calls it, {}{}",
                      line, running_thread(), *detail ? std::string(": ") + detail : ""),
          {.kind = DefectKind::wrong_mask, .line = line}});
  }
  WarpRequest& request = warps_.request(current_);
  request = {.mine = mine, .source = source, .all_values = lanes};
  threads_[current_].position = line;
  Warp& warp = warps_.of(current_);
  const std::size_t group_index = warp.group_for(mask);
  warp.groups[group_index].arrived |= lane;
  if (warp.is_complete(warp.groups[group_index])) {
    release_lanes(current_, group_index);
  } else {
    wait(ThreadState::in_warp, line);
  }
  return request.result;
}

// Completes a warp operation: gives each lane its result. The running lane goes on; the others become ready.
void BlockScheduler::release_lanes(unsigned thread, std::size_t group_index) {
  // A large number of either sign, also as a float, so that it shows in a sum, a minimum or a maximum.
  const std::uint64_t undefined = is_reversed_ ? 0xFF7FDEADFF7FDEAD : 0x7F7FDEAD7F7FDEAD;
  const Warp::Group group = warps_.complete(thread, group_index, undefined);
  const unsigned warp = warp_size_.warp_of(thread);
  if (is_checking()) [[unlikely]] {
    if (group.read_inactive)
      note_absent_source(warp, group);
    else
      note_absent_lanes(warp, group);
    follow_undefined_values(warp, group);
  }
  for (LaneMask remaining = group.arrived; remaining; remaining &= remaining - 1) {
    const unsigned arrived = warp_size_.thread_of(warp, static_cast<unsigned>(std::countr_zero(remaining)));
    if (threads_[arrived].state == ThreadState::in_warp) make_ready(arrived);
  }
  watchers_.on_warp_operation(warp, group.arrived, group.arrived == warps_.of(thread).live);
}

// Notes that a lane reads from a lane that does not take part. That does harm only if the value is used.
void BlockScheduler::note_absent_source(unsigned warp, const Warp::Group& group) {
  const unsigned first =
      warp_size_.thread_of(warp, static_cast<unsigned>(std::countr_zero(group.read_inactive)));
  watchers_.checker()->add_inactive_source(origin_of_read(first, group));
}

watch::UndefinedValues::Origin BlockScheduler::origin_of_read(unsigned thread, const Warp::Group& group) {
  const unsigned warp = warp_size_.warp_of(thread),
                 source = warp_size_.lane_of(warps_.request(thread).source);
  const watch::FoundDefect::Party party = watchers_.checker()->party(thread, threads_[thread].line());
  return {.thread = thread,
          .line = party.line,
          .pc = party.pc,
          .source = source,
          .mask = group.mask,
          .ended = group.mask & existing_lanes(warp) & ~group.arrived,
          .source_exists = warp_size_.thread_of(warp, source) < thread_count_};
}

void BlockScheduler::follow_undefined_values(unsigned warp, const Warp::Group& group) {
  watch::UndefinedValues& values = watchers_.checker()->undefined_values();
  if (!group.read_inactive && !values.any()) return;
  for (LaneMask remaining = group.arrived; remaining; remaining &= remaining - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(remaining));
    const unsigned thread = warp_size_.thread_of(warp, lane);
    const WarpRequest& request = warps_.request(thread);
    if (request.all_values || request.source == WarpRequest::no_lane) continue;
    const unsigned source = warp_size_.thread_of(warp, warp_size_.lane_of(request.source));
    if (group.read_inactive >> lane & 1)
      values.on_undefined(thread, request.mine, request.result, origin_of_read(thread, group));
    else
      values.on_exchange(thread, request.mine, request.result, source, warps_.request(source).mine);
  }
}

LaneMask BlockScheduler::existing_lanes(unsigned warp) const {
  const unsigned count = std::min(warp_size_.lanes(), thread_count_ - warp_size_.thread_of(warp, 0));
  return warp_size_.all_lanes() >> (warp_size_.lanes() - count);
}

// Notes that lanes of the mask have ended elsewhere, or have met the others in another kind of function.
void BlockScheduler::note_absent_lanes(unsigned warp, const Warp::Group& group) {
  const auto thread_of = [&](LaneMask lanes) {
    return warp_size_.thread_of(warp, static_cast<unsigned>(std::countr_zero(lanes)));
  };
  const auto kind_of = [&](unsigned thread) {
    const WarpRequest& request = warps_.request(thread);
    if (request.all_values) return 2;                       // a vote, a match or a reduction
    return request.source == WarpRequest::no_lane ? 1 : 0;  // __syncwarp(), or a shuffle
  };
  const unsigned first = thread_of(group.arrived);
  LaneMask absent = group.mask & existing_lanes(warp) & ~group.arrived;
  const bool have_ended = absent != 0;
  if (!have_ended)
    for (LaneMask remaining = group.arrived; remaining; remaining &= remaining - 1)
      if (kind_of(thread_of(remaining)) != kind_of(first)) absent |= remaining & ~(remaining - 1);
  if (absent == 0) return;
  watch::BlockChecker& checker = *watchers_.checker();
  watch::FoundDefect defect{.kind = DefectKind::absent_lanes,
                            .is_note = have_ended,
                            .has_other = true,
                            .party = checker.party(first, threads_[first].line())};
  const unsigned other = thread_of(absent);
  defect.other = checker.party(other, have_ended ? 0 : threads_[other].line());
  std::snprintf(defect.detail, sizeof defect.detail, "%s", watch::text_of_lanes(absent, group.mask).data());
  checker.add(defect);
}

// Waits until no other lane can go on without an answer, since lanes that hardware runs in lockstep run one
// after another here. The lanes that wait in the same line then count as active together.
LaneMask BlockScheduler::active_mask(int line) {
  take_over();
  stop_if_asked(line);
  watchers_.settle();
  ++steps_;
  warps_.of(current_).in_active_mask |= LaneMask{1} << warp_size_.lane_of(current_);
  ++asking_for_active_mask_;
  wait(ThreadState::in_active_mask, line);
  return warps_.request(current_).result;
}

void BlockScheduler::answer_active_masks() {
  for (unsigned first = 0; first < thread_count_; first += warp_size_.lanes())
    if (warps_.of(first).in_active_mask) answer_active_masks_of_warp(first);
}

void BlockScheduler::answer_active_masks_of_warp(unsigned first) {
  LaneMask& asking = warps_.of(first).in_active_mask;
  const auto line_of = [&](unsigned lane) { return threads_[first + lane].line(); };
  const int line = line_of(static_cast<unsigned>(std::countr_zero(asking)));
  LaneMask active = 0;
  for (unsigned lane = 0; lane < warp_size_.lanes(); ++lane)
    if ((asking >> lane & 1) && line_of(lane) == line) active |= LaneMask{1} << lane;
  asking &= ~active;
  for (LaneMask remaining = active; remaining; remaining &= remaining - 1) {
    const unsigned thread = first + static_cast<unsigned>(std::countr_zero(remaining));
    warps_.request(thread).result = active;
    --asking_for_active_mask_;
    make_ready(thread);
  }
}

// Removes a returned thread from barriers and warp operations, which may let others go on.
void BlockScheduler::after_exit(unsigned exited) {
  watchers_.settle();
  threads_[exited].state = ThreadState::exited;
  ++steps_;
  add_returned(1);
  --live_;
  Warp& warp = warps_.of(exited);
  warp.live &= ~(LaneMask{1} << warp_size_.lane_of(exited));
  if (warp.live == 0) watchers_.on_end_of_warp(warp_size_.warp_of(exited));
  for (std::size_t i = 0; i < warp.groups.size();) {
    if (warp.is_complete(warp.groups[i]))
      release_lanes(exited, i);
    else
      ++i;
  }
  if (barrier_.has_all(live_)) release_barrier();
}

void BlockScheduler::record_missed_barrier(int line) {
  if (is_checking()) add_missed_barrier(line);
  const auto found = std::ranges::find(missed_barriers_, line, &std::pair<int, std::size_t>::first);
  if (found != missed_barriers_.end())
    found->second += thread_count_ - live_;
  else if (missed_barriers_.size() < max_missed_barriers)
    missed_barriers_.emplace_back(line, thread_count_ - live_);
}

std::map<int, std::size_t> BlockScheduler::take_missed_barriers() {
  std::map<int, std::size_t> taken(missed_barriers_.begin(), missed_barriers_.end());
  missed_barriers_.clear();
  return taken;
}

std::uint32_t BlockScheduler::number_of_block() const {
  const Extent& grid = launch_->config.grid;
  const Extent index = current_block_index();
  return index.x + grid.x * (index.y + grid.y * index.z);
}

}  // namespace gpulab::simulator::schedule
