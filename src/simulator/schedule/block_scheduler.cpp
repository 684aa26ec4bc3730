#include "simulator/schedule/block_scheduler.hpp"

#include <utility>

#include "simulator/schedule/device_calls.hpp"

namespace gpulab::simulator::schedule {

using boost::context::fiber;

void BlockScheduler::run(const SimulatedLaunch& launch, const Extent& block_index) {
  start_block(launch, block_index);
  if (fiber carrier = idle_carrier()) {
    in_kernel_.store(true, std::memory_order_relaxed);
    switch_to(std::move(carrier), main_);
    leave_kernel();
  }
  if (live_ == 0) return check_dynamic_shared();
  if (checker_) add_standstill();
  forget_fibers();
  if (standstill_ == Standstill::no_stack) stacks_.unmap_all();  // an explanation needs memory, too
  if (!failure_) failure_ = standstill_explained();
  throw *std::exchange(failure_, std::nullopt);
}

// ---- Fibers -----------------------------------------------------------------------------------------------

// Empty, and the block at a standstill, when there is no memory for another stack: an exception must not be
// thrown through the kernel, whose functions may be noexcept.
fiber BlockScheduler::idle_carrier() try {
  if (idle_.empty())
    return fiber(std::allocator_arg, StackLender{&stacks_}, [this](fiber&& left) {
      *left_ = std::move(left);
      carry();
      return fiber();
    });
  fiber carrier = std::move(idle_.back());
  idle_.pop_back();
  return carrier;
} catch (const std::exception&) {
  standstill_ = Standstill::no_stack;
  return {};
}

// The life of a fiber: run threads that have not started; when there are none, go on elsewhere and be idle.
void BlockScheduler::carry() {
  for (;;) {
    while (next_ < count_) {
      enter_thread(started_as(next_++));
      launch_->call(launch_->function, launch_->arguments);
      after_exit(current_);
    }
    leave(idle_.emplace_back());
  }
}

inline void BlockScheduler::enter_thread(unsigned thread) {
  current_ = thread;
  threads_[thread].state = State::running;
  set_thread_index(thread);
}

// Goes on with whatever can run: a thread not yet started, one that is ready, or else the worker itself.
inline void BlockScheduler::leave(fiber& keep) {
  if (next_ < count_) {
    fiber carrier = idle_carrier();
    return switch_to(std::move(carrier ? carrier : main_), keep);
  }
  if (ready_size_ > 0) {
    const unsigned thread = ready_[ready_head_];
    ready_head_ = ready_head_ + 1 == count_ ? 0 : ready_head_ + 1;
    --ready_size_;
    return switch_to(std::move(threads_[thread].context), keep);
  }
  switch_to(std::move(main_), keep);
}

void BlockScheduler::wait(State state, int line) {
  const unsigned self = current_;
  Thread& thread = threads_[self];
  thread.state = state;
  thread.line = line;
  leave(thread.context);
  enter_thread(self);
}

void BlockScheduler::make_ready(unsigned thread) {
  threads_[thread].state = State::ready;
  std::size_t tail = ready_head_ + ready_size_++;
  if (tail >= count_) tail -= count_;
  ready_[tail] = thread;
}

// ---- Barriers and warps -----------------------------------------------------------------------------------

int BlockScheduler::barrier(bool predicate, int line) {
  stop_if_asked(line);
  if (checker_) checker_->settle();
  predicates_ += predicate;
  threads_[current_].line = line;
  at_barrier_.push_back(current_);
  if (at_barrier_.size() < live_ || !release_barrier()) wait(State::at_barrier, line);
  return barrier_result_;
}

// All live threads have come. The running one, if it is among them, goes on; the others get ready. False when
// they are not all at the same barrier: then none goes on, and the block is at a standstill.
bool BlockScheduler::release_barrier() {
  const int line = threads_[at_barrier_.front()].line;
  for (const unsigned thread : at_barrier_)
    if (threads_[thread].line != line) return false;
  if (live_ < count_) remark_missed_barrier(line);
  if (recorder_) recorder_->fold_all();
  if (checker_) checker_->at_barrier(live_, line);
  for (const unsigned thread : at_barrier_)
    if (threads_[thread].state == State::at_barrier) make_ready(thread);
  at_barrier_.clear();
  barrier_result_ = std::exchange(predicates_, 0);
  return true;
}

std::uint64_t BlockScheduler::exchange(std::uint32_t mask, std::uint64_t mine, unsigned source,
                                       std::uint64_t* lanes, int line) {
  stop_if_asked(line);
  if (checker_) checker_->settle();
  Warp& warp = warps_[current_ / 32];
  const std::uint32_t lane = 1u << current_ % 32;
  if (checker_ && (mask & lane) == 0)
    checker_->add({.kind = DefectKind::wrong_mask, .party = checker_->party(current_, line)});
  if ((mask & lane) == 0)
    fail({"CUDA_ERROR_LAUNCH_FAILED", "the warp operation in line " + std::to_string(line) +
                                          " has a mask that leaves out the lane that calls it, " +
                                          running_thread()});
  WarpRequest& request = requests_[current_];
  request = {.mine = mine, .source = source, .lanes = lanes};
  const std::size_t group = warp.group_for(mask);
  warp.groups[group].arrived |= lane;
  if (warp.is_complete(warp.groups[group])) {
    release_lanes(warp, group);
  } else {
    wait(State::in_warp, line);
  }
  return request.result;
}

// Hands every lane what it asked for. The running lane goes on; the others get ready.
void BlockScheduler::release_lanes(Warp& warp, std::size_t place) {
  const Warp::Group group = warp.groups[place];
  warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(place));
  const unsigned first = static_cast<unsigned>(&warp - warps_.data()) * 32;
  for (std::uint32_t left = group.arrived; left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    WarpRequest& request = requests_[first + lane];
    const bool has_source = group.arrived >> request.source % 32 & 1;
    request.result = has_source ? requests_[first + request.source % 32].mine : request.mine;
    if (request.lanes)
      for (unsigned other = 0; other < 32; ++other)
        request.lanes[other] = group.arrived >> other & 1 ? requests_[first + other].mine : 0;
    if (threads_[first + lane].state == State::in_warp) make_ready(first + lane);
  }
  if (recorder_ && group.arrived == warp.live) recorder_->fold(first / 32);
  if (checker_) checker_->at_warp_operation(first / 32, group.arrived, group.arrived == warp.live);
}

std::uint32_t BlockScheduler::active_mask() const {
  return warps_[current_ / 32].live;
}

// A thread that has returned is not waited for any more, so others may now be free to go on.
void BlockScheduler::after_exit(unsigned exited) {
  if (checker_) checker_->settle();
  threads_[exited].state = State::exited;
  returned_.store(returned_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  --live_;
  Warp& warp = warps_[exited / 32];
  warp.live &= ~(1u << exited % 32);
  if (recorder_ && warp.live == 0) recorder_->fold(exited / 32);
  for (std::size_t i = 0; i < warp.groups.size();) {
    if (warp.is_complete(warp.groups[i]))
      release_lanes(warp, i);
    else
      ++i;
  }
  if (!at_barrier_.empty() && at_barrier_.size() == live_) release_barrier();
}

}  // namespace gpulab::simulator::schedule
