#include <algorithm>
#include <cstring>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/device_calls.hpp"

// What a BlockScheduler does for a launch that is checked.

namespace gpulab::simulator::schedule {
namespace {

// What a worker may print of one launch: as much as a GPU keeps.
constexpr std::size_t most_printed_bytes = std::size_t{1} << 20;

}  // namespace

void BlockScheduler::start_checker(const SimulatedLaunch& launch) {
  if (!checker_) checker_ = std::make_unique<check::BlockChecker>(*launch.watch);
  const SharedMemory& shared = launch.shared;
  const auto dynamic = reinterpret_cast<std::uintptr_t>(shared.dynamic_address());
  const std::uintptr_t module = dynamic - shared.dynamic_offset;
  std::vector<check::BlockChecker::SharedVariable> variables;
  for (const SharedMemory::Range& range : shared.statics)
    variables.push_back({{module + range.offset, range.bytes}, range.variable.c_str()});
  if (shared.has_dynamic) variables.push_back({{dynamic, shared.dynamic_bytes}, "extern __shared__"});
  checker_->start_launch({module, shared.module_bytes}, std::move(variables), index_variables());
}

std::vector<check::FoundDefect> BlockScheduler::take_defects() {
  const auto checker = std::exchange(checker_, nullptr);
  return checker ? checker->take_defects() : std::vector<check::FoundDefect>();
}

void BlockScheduler::check(const count::MemoryAccess& access) {
  switch (checker_->at_access(current_, access)) {
    case check::BlockChecker::Verdict::go_on:
      return;
    case check::BlockChecker::Verdict::stop:
      fail({"CUDA_ERROR_ILLEGAL_ADDRESS", ""});
    case check::BlockChecker::Verdict::too_many:
      fail_with(checker_->too_many_accesses(current_, access), "CUDA_ERROR_LAUNCH_TIMEOUT");
    case check::BlockChecker::Verdict::too_much:
      fail({"CUDA_ERROR_NOT_SUPPORTED",
            "the launch is too much for the simulator to check; choose a smaller size"});
  }
}

void BlockScheduler::fence() {
  if (checker_) checker_->at_fence(current_);
}

void BlockScheduler::fail_with(check::FoundDefect defect, std::string error) {
  const auto [code, line] = std::pair(defect.party.code, defect.party.line);
  defect.party = checker_->party(current_, line);
  defect.party.code = code;
  defect.ends_launch = true;
  checker_->add(defect);
  fail({std::move(error), ""});
}

void BlockScheduler::after_printing(std::size_t bytes, const void* code) {
  if (!checker_) return;
  printed_bytes_ += bytes;
  if (printed_bytes_ <= most_printed_bytes) return;
  check::FoundDefect defect{.kind = DefectKind::too_much_output};
  defect.party.code = reinterpret_cast<std::uintptr_t>(code);
  fail_with(defect, "CUDA_ERROR_LAUNCH_FAILED");
}

// The first thread that waits, and the first that waits somewhere else.
void BlockScheduler::add_standstill() {
  if (failure_ || standstill_ != Standstill::waiting) return;
  const bool all_at_barriers = !at_barrier_.empty() && at_barrier_.size() == live_;
  check::FoundDefect defect{.kind = all_at_barriers ? DefectKind::divergent_barrier : DefectKind::deadlock};
  for (unsigned i = 0; i < next_; ++i) {
    const unsigned number = started_as(i);
    const Thread& thread = threads_[number];
    if (thread.state != State::at_barrier && thread.state != State::in_warp) continue;
    if (!defect.party.has_place) {
      defect.party = checker_->party(number, thread.line);
    } else if (thread.line != defect.party.line) {
      defect.has_other = true;
      defect.other = checker_->party(number, thread.line);
      break;
    }
  }
  std::strncpy(defect.detail, waiting_lines().c_str(), sizeof defect.detail - 1);
  checker_->add(defect);
}

void BlockScheduler::add_missed_barrier(int line) {
  check::FoundDefect defect{.kind = DefectKind::missed_barrier,
                            .party = checker_->party(at_barrier_.front(), line)};
  for (unsigned thread = 0; thread < count_ && !defect.has_other; ++thread)
    if (threads_[thread].state == State::exited) {
      defect.has_other = true;
      defect.other = checker_->party(thread, 0);
    }
  checker_->add(defect);
}

std::uint32_t BlockScheduler::number_of_block() const {
  const Extent& grid = launch_->config.grid;
  const Extent index = current_block_index();
  return index.x + grid.x * (index.y + grid.y * index.z);
}

}  // namespace gpulab::simulator::schedule
