// How a block is given up: what a BlockScheduler does when a kernel cannot go on.
#include "device/simulator/block_scheduler.hpp"
#include "device/simulator/device_calls.hpp"

namespace gpulab {

using boost::context::fiber;

void BlockScheduler::fail(KernelFailure failure) {
  failure_ = std::move(failure);
  const unsigned self = current_;
  switch_to(std::move(main_), threads_[self].context);
  current_ = self;
  throw Abandoned{};
}

void BlockScheduler::fail_for_good(KernelFailure failure) {
  failure_ = std::move(failure);
  threads_[current_].state = State::exited;
  // Leaked with its stack: unwinding what a fault has interrupted is not safe.
  switch_to(std::move(main_), *new fiber);
  __builtin_unreachable();
}

// Throws through every thread that still waits, so that its fiber is free for the next block.
void BlockScheduler::abandon_block() {
  abandoning_ = true;
  for (unsigned thread = 0; thread < next_; ++thread)
    if (threads_[thread].state != State::exited) switch_to(std::move(threads_[thread].context), main_);
  abandoning_ = false;
}

KernelFailure BlockScheduler::deadlock() const {
  return {"CUDA_ERROR_LAUNCH_TIMEOUT", "deadlock: no thread of block " +
                                           std::to_string(current_block_index().x) + " can go on, " +
                                           waiting_lines() + "; a GPU would hang"};
}

std::string BlockScheduler::waiting_lines() const {
  std::map<std::pair<int, bool>, int> waiting;
  for (unsigned i = 0; i < next_; ++i)
    if (const Thread& thread = threads_[i];
        thread.state == State::at_barrier || thread.state == State::in_warp || thread.state == State::running)
      ++waiting[{thread.line, thread.state == State::in_warp}];
  std::string text;
  for (const auto& [place, threads] : waiting)
    text += (text.empty() ? "" : " and ") + std::to_string(threads) + " in line " +
            std::to_string(place.first) + (place.second ? " for other lanes of their warp" : "");
  return text;
}

std::string BlockScheduler::running_thread() const {
  const auto text = [](const Extent& index, const Extent& size) {
    if (size.y == 1 && size.z == 1) return std::to_string(index.x);
    return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) +
           ")";
  };
  return "block " + text(current_block_index(), launch_->config.grid) + " thread " +
         text(current_thread_index(), launch_->config.block);
}

}  // namespace gpulab
