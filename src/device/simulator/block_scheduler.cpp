#include "device/simulator/block_scheduler.hpp"

#include <algorithm>
#include <cstring>

#include "device/simulator/device_calls.hpp"

namespace gpulab {

using boost::context::fiber;

BlockScheduler::BlockScheduler() = default;
BlockScheduler::~BlockScheduler() = default;

void BlockScheduler::run(const SimulatedLaunch& launch, const Extent& block_index) {
  start_block(launch, block_index);
  switch_to(idle_carrier(), main_);
  if (failure_) {
    abandon_block();
    throw *std::exchange(failure_, std::nullopt);
  }
}

void BlockScheduler::start_block(const SimulatedLaunch& launch, const Extent& block_index) {
  launch_ = &launch;
  count_ = live_ = static_cast<unsigned>(launch.config.block.volume());
  next_ = 0;
  set_grid_and_block(launch.config, block_index);
  random_ = 2654435761u * (block_index.x + 1) + block_index.y + block_index.z;
  accesses_until_switch_ = 1;

  threads_.resize(std::max<std::size_t>(threads_.size(), count_));
  requests_.resize(threads_.size());
  ready_.resize(count_);
  ready_head_ = ready_size_ = 0;
  at_barrier_.clear();
  predicates_ = 0;
  warps_.resize((count_ + 31) / 32);
  for (unsigned first = 0; first < count_; first += 32) {
    const unsigned lanes = std::min(32u, count_ - first);
    warps_[first / 32].live = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps_[first / 32].groups.clear();
  }

  // Shared memory starts as garbage on hardware; 0xFF makes it NaN and -1, which show.
  const SharedMemory& shared = launch.shared;
  char* const dynamic = shared.dynamic_address();
  char* const module = dynamic - shared.dynamic_offset;
  set_shared_memory(module, shared.module_bytes);
  for (const SharedMemory::Range& range : shared.statics)
    std::memset(module + range.offset, 0xFF, range.bytes);
  std::memset(dynamic, 0xFF, shared.dynamic_bytes);
}

// ---- Fibers -----------------------------------------------------------------------------------------------

fiber BlockScheduler::idle_carrier() {
  if (idle_.empty())
    return fiber(std::allocator_arg, stacks_, [this](fiber&& left) {
      *left_ = std::move(left);
      carry();
      return fiber();
    });
  fiber carrier = std::move(idle_.back());
  idle_.pop_back();
  return carrier;
}

// The life of a fiber: run threads that have not started; when there are none, go on elsewhere and be idle.
void BlockScheduler::carry() {
  for (;;) {
    try {
      while (next_ < count_ && !failure_) {
        enter_thread(next_++);
        launch_->call(launch_->function, launch_->arguments);
        after_exit(current_);
      }
    } catch (const Abandoned&) {
      threads_[current_].state = State::exited;
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
  if (abandoning_ || failure_) return switch_to(std::move(main_), keep);
  if (next_ < count_) return switch_to(idle_carrier(), keep);
  if (ready_size_ > 0) {
    const unsigned thread = ready_[ready_head_];
    ready_head_ = ready_head_ + 1 == count_ ? 0 : ready_head_ + 1;
    --ready_size_;
    return switch_to(std::move(threads_[thread].context), keep);
  }
  if (live_ > 0) failure_ = deadlock();
  switch_to(std::move(main_), keep);
}

inline void BlockScheduler::wait(State state, int line) {
  const unsigned self = current_;
  Thread& thread = threads_[self];
  thread.state = state;
  thread.line = line;
  leave(thread.context);
  current_ = self;
  if (abandoning_) throw Abandoned{};
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
  predicates_ += predicate;
  if (at_barrier_.size() + 1 < live_) {
    at_barrier_.push_back(current_);
    wait(State::at_barrier, line);
    return barrier_result_;
  }
  threads_[current_].line = line;
  at_barrier_.push_back(current_);
  release_barrier();
  if (failure_) fail(*failure_);
  return barrier_result_;
}

// All live threads have come. The running one, if it is among them, goes on; the others get ready.
void BlockScheduler::release_barrier() {
  const int line = threads_[at_barrier_.front()].line;
  for (const unsigned thread : at_barrier_)
    if (threads_[thread].line != line && !failure_)
      failure_ = {"CUDA_ERROR_LAUNCH_FAILED", "divergent barrier: the threads of block " +
                                                  std::to_string(current_block_index().x) +
                                                  " wait at different __syncthreads(), " + waiting_lines()};
  if (failure_) return;
  if (live_ < count_) missed_barriers_[line] += count_ - live_;
  for (const unsigned thread : at_barrier_)
    if (threads_[thread].state == State::at_barrier) make_ready(thread);
  at_barrier_.clear();
  barrier_result_ = std::exchange(predicates_, 0);
}

std::uint64_t BlockScheduler::exchange(std::uint32_t mask, std::uint64_t mine, unsigned source,
                                       std::uint64_t* lanes, int line) {
  Warp& warp = warps_[current_ / 32];
  const std::uint32_t lane = 1u << current_ % 32;
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
}

std::uint32_t BlockScheduler::active_mask() const {
  return warps_[current_ / 32].live;
}

// A thread that has returned is not waited for any more, so others may now be free to go on.
void BlockScheduler::after_exit(unsigned exited) {
  threads_[exited].state = State::exited;
  --live_;
  Warp& warp = warps_[exited / 32];
  warp.live &= ~(1u << exited % 32);
  for (std::size_t i = 0; i < warp.groups.size();) {
    if (warp.is_complete(warp.groups[i]))
      release_lanes(warp, i);
    else
      ++i;
  }
  if (!at_barrier_.empty() && at_barrier_.size() == live_) release_barrier();
}

void BlockScheduler::at_memory_access() {
  if (--accesses_until_switch_ > 0) return;
  random_ ^= random_ << 13, random_ ^= random_ >> 17, random_ ^= random_ << 5;  // xorshift32
  accesses_until_switch_ = 1 + random_ % 4;
  if (next_ == count_ && ready_size_ == 0) return;  // nobody else can run
  make_ready(current_);
  wait(State::ready, 0);
}

}  // namespace gpulab
