// What a BlockScheduler does at the memory accesses of a hooked kernel.
#include <utility>

#include "device/simulator/schedule/block_scheduler.hpp"

namespace gpulab {

void BlockScheduler::at_memory_access(const MemoryAccess& access) {
  if (recorder_) return count(access);
  const bool can_be_interrupted = !(checker_ && checker_->waits_for_store());
  // Whoever reads what is volatile may be waiting for another thread to write it.
  const bool may_wait = access.is_volatile && access.operation == MemoryAccess::Operation::load;
  if (may_wait && can_be_interrupted) {
    let_others_go_on();
  } else if (is_preempted_ && can_be_interrupted && --accesses_until_switch_ == 0) {
    random_ ^= random_ << 13, random_ ^= random_ >> 17, random_ ^= random_ << 5;  // xorshift32
    accesses_until_switch_ = 1 + random_ % 4;
    let_others_go_on();
  }
  if (checker_) check(access);
}

void BlockScheduler::let_others_go_on() {
  stop_if_asked(0);
  if (checker_) checker_->settle();
  if (next_ == count_ && ready_size_ == 0) return;  // nobody else can
  make_ready(current_);
  wait(State::ready, 0);
}

// A thread whose warp has no room waits until all others have come as far as they can, so that the other
// lanes of its warp have done what it has. Whichever lane goes on first then makes room for all.
void BlockScheduler::count(const MemoryAccess& access) {
  const unsigned warp = current_ / 32;
  for (;;) {
    const AccessRecorder::Recorded recorded = recorder_->record(current_, access);
    if (recorded == AccessRecorder::Recorded::yes) return;
    if (recorded == AccessRecorder::Recorded::too_many_sites)
      fail({"CUDA_ERROR_NOT_SUPPORTED", "the simulator counts the accesses of kernels with at most " +
                                            std::to_string(AccessSites::most) +
                                            " loads, stores and atomics"});
    const unsigned folds = recorder_->folds_of(warp);
    let_others_go_on();
    if (recorder_->folds_of(warp) == folds) recorder_->make_room(warp);
  }
}

std::vector<AccessSite> BlockScheduler::take_accesses() {
  const auto recorder = std::exchange(recorder_, nullptr);
  return recorder ? recorder->sites() : std::vector<AccessSite>();
}

}  // namespace gpulab
