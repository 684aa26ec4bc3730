#include "simulator/schedule/block_scheduler.hpp"

// What a BlockScheduler does at the memory accesses of a hooked kernel, and for a kernel that is checked.

namespace gpulab::simulator::schedule {
namespace {

// What a worker may print of one launch: as much as a GPU keeps.
constexpr std::size_t max_printed_bytes = std::size_t{1} << 20;

}  // namespace

void BlockScheduler::at_memory_access(const count::MemoryAccess& access) {
  if (watchers_.recorder()) return count(access);
  const check::BlockChecker* const checker = watchers_.checker();
  const bool can_be_interrupted = !(checker && checker->waits_for_store());
  // Whoever reads what is volatile may be waiting for another thread to write it.
  const bool may_wait = access.is_volatile && access.operation == count::MemoryAccess::Operation::load;
  if (may_wait && can_be_interrupted) {
    let_others_go_on();
  } else if (is_interrupted_ && can_be_interrupted && interruptions_.is_due()) {
    let_others_go_on();
  }
  if (checker) check(access);
}

// A thread whose warp has no room waits until all others have come as far as they can, so that the other
// lanes of its warp have done what it has. Whichever lane goes on first then makes room for all.
void BlockScheduler::count(const count::MemoryAccess& access) {
  count::AccessRecorder& recorder = *watchers_.recorder();
  const unsigned warp = current_ / 32;
  for (;;) {
    const count::AccessRecorder::Recorded recorded = recorder.record(current_, access);
    if (recorded == count::AccessRecorder::Recorded::yes) return;
    if (recorded == count::AccessRecorder::Recorded::too_many_sites)
      fail({"CUDA_ERROR_NOT_SUPPORTED", "the simulator counts the accesses of kernels with at most " +
                                            std::to_string(count::AccessSites::most) +
                                            " loads, stores and atomics"});
    const unsigned folds = recorder.folds_of(warp);
    let_others_go_on();
    if (recorder.folds_of(warp) == folds) recorder.make_room(warp);
  }
}

void BlockScheduler::check(const count::MemoryAccess& access) {
  check::BlockChecker& checker = *watchers_.checker();
  switch (checker.at_access(current_, access)) {
    case check::BlockChecker::Verdict::go_on:
      return;
    case check::BlockChecker::Verdict::stop:
      fail({"CUDA_ERROR_ILLEGAL_ADDRESS", ""});
    case check::BlockChecker::Verdict::too_many:
      fail_with(checker.too_many_accesses(current_, access), "CUDA_ERROR_LAUNCH_TIMEOUT");
    case check::BlockChecker::Verdict::too_much:
      fail({"CUDA_ERROR_NOT_SUPPORTED",
            "the launch is too much for the simulator to check; choose a smaller size"});
  }
}

void BlockScheduler::fence() {
  if (is_checking()) watchers_.checker()->at_fence(current_);
}

void BlockScheduler::after_printing(std::size_t bytes, const void* code) {
  if (!is_checking()) return;
  printed_bytes_ += bytes;
  if (printed_bytes_ <= max_printed_bytes) return;
  check::FoundDefect defect{.kind = DefectKind::too_much_output};
  defect.party.code = reinterpret_cast<std::uintptr_t>(code);
  fail_with(defect, "CUDA_ERROR_LAUNCH_FAILED");
}

}  // namespace gpulab::simulator::schedule
