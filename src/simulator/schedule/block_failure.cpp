#include <algorithm>
#include <cstring>

#include "simulator/fault/kernel_fault.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/device_calls.hpp"
#include "simulator/schedule/worker_pool.hpp"

// How a block is given up: what a BlockScheduler does when a kernel cannot go on.

namespace gpulab::simulator::schedule {

void BlockScheduler::fail(KernelFailure failure) {
  failure_ = std::move(failure);
  give_up();
}

void BlockScheduler::fail_with(check::FoundDefect defect, std::string error) {
  check::BlockChecker& checker = *watchers_.checker();
  const check::FoundDefect::Party at = defect.party;
  defect.party = checker.party(current_, at.line);
  defect.party.code = at.code;
  defect.party.access = at.access;
  defect.ends_launch = true;
  checker.add(defect);
  fail({std::move(error), ""});
}

void BlockScheduler::give_up() {
  leave_kernel();
  fibers_.switch_to(std::move(fibers_.worker()), threads_[current_].context);
  __builtin_unreachable();
}

void BlockScheduler::stop_if_asked(int line) {
  if (!asked_to_stop_.load(std::memory_order_relaxed)) [[likely]]
    return;
  take_over();
  threads_[current_].line = line;
  standstill_ = Standstill::time_limit;
  give_up();
}

void BlockScheduler::forget_fibers() {
  for (Thread& thread : threads_) Fibers::forget(thread.context);
  fibers_.forget_idle();
}

KernelFailure BlockScheduler::standstill_explained() const {
  const std::string block = "block " + std::to_string(current_block_index().x);
  if (standstill_ == Standstill::no_stack)
    return {"CUDA_ERROR_OUT_OF_MEMORY",
            "there is no memory for the stacks of " + block + ", " +
                std::to_string(FiberStacks::usable_bytes / 1024) +
                " KiB for each of its threads; raise the limits (ulimit -v, sysctl vm.max_map_count), or let "
                "the simulator use fewer CPUs (taskset)"};
  if (standstill_ == Standstill::endless_wait)
    return {"CUDA_ERROR_LAUNCH_TIMEOUT", "", {.kind = DefectKind::endless_wait}};
  if (standstill_ == Standstill::time_limit) {
    const int line = threads_[current_].line;
    return {"CUDA_ERROR_LAUNCH_TIMEOUT",
            fault::time_limit_explanation((line > 0 ? "line " + std::to_string(line) + ", " : "") +
                                          running_thread()),
            {.kind = DefectKind::time_limit, .line = line}};
  }
  if (barrier_.has_all(live_))
    return {"CUDA_ERROR_LAUNCH_FAILED",
            "divergent barrier: the threads of " + block + " wait at different __syncthreads(), " +
                waiting_lines(),
            {.kind = DefectKind::divergent_barrier}};
  return {"CUDA_ERROR_LAUNCH_TIMEOUT",
          "deadlock: no thread of " + block + " can go on, " + waiting_lines() + "; a GPU would hang",
          {.kind = DefectKind::deadlock}};
}

std::string BlockScheduler::waiting_lines() const {
  std::map<std::pair<int, bool>, int> waiting;
  for (unsigned i = 0; i < next_; ++i)
    if (const Thread& thread = threads_[started_as(i)]; thread.is_waiting())
      ++waiting[{thread.line, thread.state == ThreadState::in_warp}];
  std::string text;
  for (const auto& [place, threads] : waiting)
    text += (text.empty() ? "" : " and ") + std::to_string(threads) + " in line " +
            std::to_string(place.first) + (place.second ? " for other lanes of their warp" : "");
  return text;
}

// The first thread that waits, and the first that waits somewhere else.
void BlockScheduler::add_standstill() {
  if (standstill_ == Standstill::endless_wait) return add_endless_wait();
  if (failure_ || standstill_ != Standstill::waiting) return;
  check::BlockChecker& checker = *watchers_.checker();
  const bool all_at_barriers = barrier_.has_all(live_);
  check::FoundDefect defect{.kind = all_at_barriers ? DefectKind::divergent_barrier : DefectKind::deadlock};
  for (unsigned i = 0; i < next_; ++i) {
    const unsigned number = started_as(i);
    const Thread& thread = threads_[number];
    if (!thread.is_waiting()) continue;
    if (!defect.party.has_place) {
      defect.party = checker.party(number, thread.line);
    } else if (thread.line != defect.party.line) {
      defect.has_other = true;
      defect.other = checker.party(number, thread.line);
      break;
    }
  }
  std::strncpy(defect.detail, waiting_lines().c_str(), sizeof defect.detail - 1);
  checker.add(defect);
}

// The first thread that waits for a word, and the first that waits somewhere else.
void BlockScheduler::add_endless_wait() {
  check::BlockChecker& checker = *watchers_.checker();
  const unsigned first = *std::ranges::min_element(waits_.parked());
  const Waits::Look& look = waits_.look_of(first);
  check::FoundDefect defect = checker.endless_wait(first, look.access);
  for (unsigned number = 0; number < count_ && !defect.has_other; ++number) {
    const Thread& thread = threads_[number];
    if (!thread.is_waiting()) continue;
    defect.has_other = true;
    defect.other = checker.party(number, thread.line);
  }
  const std::size_t begun = pool_ ? pool_->begun_blocks() : 0, all = launch_->config.grid.volume();
  std::string detail = "the word holds " + std::to_string(look.value);
  if (begun < all)
    detail += "; " + std::to_string(begun) + " of " + std::to_string(all) + " blocks have begun";
  std::strncpy(defect.detail, detail.c_str(), sizeof defect.detail - 1);
  checker.add(defect);
}

void BlockScheduler::add_missed_barrier(int line) {
  check::BlockChecker& checker = *watchers_.checker();
  check::FoundDefect defect{.kind = DefectKind::missed_barrier,
                            .party = checker.party(barrier_.arrived().front(), line)};
  for (unsigned thread = 0; thread < count_ && !defect.has_other; ++thread)
    if (threads_[thread].state == ThreadState::exited) {
      defect.has_other = true;
      defect.other = checker.party(thread, 0);
    }
  checker.add(defect);
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
