#include <cstdint>
#include <string>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/schedule/worker_pool.hpp"

namespace gpulab::simulator::schedule {
// The scheduler at the memory accesses of a hooked kernel.

namespace {

using Operation = watch::MemoryAccess::Operation;

}  // namespace

void BlockScheduler::on_memory_access(const watch::MemoryAccess& access) {
  watch::BlockChecker* const checker = watchers_.checker();
  if (!checker && watchers_.recorder()) return count(access);
  // A volatile or atomic load may be waiting for another thread to write.
  const bool may_wait =
      access.operation == Operation::load && (access.is_volatile || access.traits & watch::only_loads);
  const bool may_give_way = may_wait || is_interrupted_ || (checker && checker->take_long_run());
  if (may_give_way && !(checker && checker->has_pending_store())) {
    if (may_wait && checker)
      poll_or_wait(access);
    else if (may_wait || !is_interrupted_ || interruptions_.count_access())  // interrupted: only now and then
      let_others_run();
  }
  if (!checker) return;
  check(access);
  if (may_wait) after_poll(access);
}

void BlockScheduler::on_plain_access(watch::MemoryAccess::Operation operation, std::uintptr_t address,
                                     std::size_t bytes, std::uintptr_t pc) {
  watch::BlockChecker* const checker = watchers_.checker();
  if (!checker || checker->needs_full_check()) [[unlikely]]
    return on_memory_access({operation, address, bytes, pc});
  if (is_interrupted_ && interruptions_.count_access()) let_others_run();
  const bool may_wake = operation != watch::MemoryAccess::Operation::load && polling_.any_is_parked();
  if (may_wake || !checker->is_recording() ||
      !checker->try_recorded_access(current_, operation, address, bytes, pc)) [[unlikely]]
    check({operation, address, bytes, pc});
}

void BlockScheduler::check(const watch::MemoryAccess& access) {
  if (atomics_to_pause_ > 0 && access.operation == Operation::atomic) [[unlikely]]
    pause_block(access);
  const watch::BlockChecker::Verdict verdict = watchers_.checker()->on_access(current_, access);
  if (verdict != watch::BlockChecker::Verdict::go_on) [[unlikely]]
    stop_after(verdict, access);
  if (!polling_.any_is_parked() || access.operation == Operation::load) [[likely]]
    return;
  settle_change();
  if (access.operation == Operation::atomic)
    change_ = access;
  else
    wake_first_waiter(access);
}

// Lets another block run before one of the block's atomics on global memory. Otherwise a check, which runs
// blocks one after another, would never show a lost update, where one atomic reads and the next one stores.
void BlockScheduler::pause_block(const watch::MemoryAccess& access) {
  if (is_in_shared_memory(access.address) || --atomics_to_pause_ > 0) return;
  watchers_.settle();
  settle_change();
  if (pool_->let_another_block_go_on(*this)) return;
  standstill_ = Standstill::abandoned;
  give_up();
}

void BlockScheduler::count(const watch::MemoryAccess& access) {
  watch::AccessRecorder& recorder = *watchers_.recorder();
  if (watchers_.peers().has_peers()) watchers_.peers().add(access);
  if (!recorder.try_count_only(access)) record(recorder, access);
  // A block that makes more accesses than this may be doing the work of all blocks, taken from a queue.
  constexpr std::uint64_t max_of_one_block = std::uint64_t{1} << 21;
  if (launch_->counts_in_order() && recorder.accesses() > max_of_one_block) [[unlikely]]
    cut_off_if_endless(recorder);
}

// Records an access. If the warp's table of requests is full, the thread waits until all others have gone as
// far as they can, so that the other lanes have made the same accesses. The first lane to go on then merges
// the lanes' accesses into requests, which makes room.
void BlockScheduler::record(watch::AccessRecorder& recorder, const watch::MemoryAccess& access) {
  for (;;) {
    const watch::AccessRecorder::Recorded recorded = recorder.record(current_, access);
    if (recorded == watch::AccessRecorder::Recorded::yes) return;
    if (recorded == watch::AccessRecorder::Recorded::too_many_sites)
      fail({"CUDA_ERROR_NOT_SUPPORTED", "the simulator counts the accesses of kernels with at most " +
                                            std::to_string(watch::AccessSites::capacity) +
                                            " loads, stores and atomics"});
    const unsigned warp = warp_size_.warp_of(current_), folds = recorder.folds_of(warp);
    let_others_run();
    if (recorder.folds_of(warp) == folds) recorder.make_room(warp);
  }
}

// Stops a block that alone would take hours, or that may be doing the work of all blocks: it takes work from
// a queue by atomics on global memory.
void BlockScheduler::cut_off_if_endless(watch::AccessRecorder& recorder) {
  constexpr std::uint64_t max_kept = std::uint64_t{1} << 25, limit = std::uint64_t{1} << 29;
  if (recorder.kept_accesses() <= max_kept && recorder.accesses() <= limit && !recorder.has_global_atomics())
    return;
  recorder.cut_off();
  fail({"CUDA_ERROR_LAUNCH_TIMEOUT", "a block makes too many accesses to count them"});
}

void BlockScheduler::stop_after(watch::BlockChecker::Verdict verdict, const watch::MemoryAccess& access) {
  switch (verdict) {
    case watch::BlockChecker::Verdict::stop:
      fail({"CUDA_ERROR_ILLEGAL_ADDRESS", ""});
    case watch::BlockChecker::Verdict::over_limit:
      fail_with(watchers_.checker()->too_many_accesses(current_, access), "CUDA_ERROR_LAUNCH_TIMEOUT");
    default:
      fail(
          {"CUDA_ERROR_NOT_SUPPORTED",
           "the simulator cannot check this launch: it has too many threads, or its kernel too many loads and stores; choose a smaller size"});
  }
}

void BlockScheduler::fence(watch::Scope scope) {
  stop_if_asked(0);
  if (is_checking()) watchers_.checker()->on_fence(current_, scope);
}

}  // namespace gpulab::simulator::schedule
