#include "simulator/fault/kernel_fault.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/device_calls.hpp"

// How a block is given up: what a BlockScheduler does when a kernel cannot go on.

namespace gpulab::simulator::schedule {

using boost::context::fiber;

void BlockScheduler::fail(KernelFailure failure) {
  failure_ = std::move(failure);
  give_up();
}

void BlockScheduler::give_up() {
  leave_kernel();
  switch_to(std::move(main_), threads_[current_].context);
  __builtin_unreachable();
}

void BlockScheduler::stop_if_asked(int line) {
  if (!asked_to_stop_.load(std::memory_order_relaxed)) [[likely]]
    return;
  threads_[current_].line = line;
  standstill_ = Standstill::time_limit;
  give_up();
}

// Kernels own nothing that has to be freed, so their stacks are simply used again.
void BlockScheduler::forget_fibers() {
  const auto forget = [](fiber& suspended) {
    alignas(fiber) unsigned char unowned[sizeof(fiber)];
    new (unowned) fiber(std::move(suspended));  // its destructor, which would unwind the stack, never runs
  };
  for (Thread& thread : threads_) forget(thread.context);
  for (fiber& carrier : idle_) forget(carrier);
  idle_.clear();
  stacks_.take_all_back();
}

KernelFailure BlockScheduler::standstill_explained() const {
  const std::string block = "block " + std::to_string(current_block_index().x);
  if (standstill_ == Standstill::no_stack)
    return {"CUDA_ERROR_OUT_OF_MEMORY",
            "there is no memory for the stacks of " + block + ", " +
                std::to_string(FiberStacks::usable_bytes / 1024) +
                " KiB for each of its threads; raise the limits (ulimit -v, sysctl vm.max_map_count), or let "
                "the simulator use fewer CPUs (taskset)"};
  if (standstill_ == Standstill::time_limit) {
    const int line = threads_[current_].line;
    return {"CUDA_ERROR_LAUNCH_TIMEOUT",
            fault::time_limit_explanation((line > 0 ? "line " + std::to_string(line) + ", " : "") +
                                          running_thread()),
            {.kind = FailureKind::time_limit, .line = line}};
  }
  if (!at_barrier_.empty() && at_barrier_.size() == live_)
    return {"CUDA_ERROR_LAUNCH_FAILED",
            "divergent barrier: the threads of " + block + " wait at different __syncthreads(), " +
                waiting_lines(),
            {.kind = FailureKind::divergent_barrier}};
  return {"CUDA_ERROR_LAUNCH_TIMEOUT",
          "deadlock: no thread of " + block + " can go on, " + waiting_lines() + "; a GPU would hang",
          {.kind = FailureKind::deadlock}};
}

std::string BlockScheduler::waiting_lines() const {
  std::map<std::pair<int, bool>, int> waiting;
  for (unsigned i = 0; i < next_; ++i)
    if (const Thread& thread = threads_[started_as(i)];
        thread.state == State::at_barrier || thread.state == State::in_warp)
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

}  // namespace gpulab::simulator::schedule
