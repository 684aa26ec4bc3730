#include <algorithm>
#include <cstring>
#include <span>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/device_calls.hpp"

// What a BlockScheduler does before a block, so that its threads run without an allocation, and between
// blocks.

namespace gpulab::simulator::schedule {
namespace {

constexpr std::size_t most_missed_barriers = 64;  // remarks on more lines than that help nobody

// Behind the dynamic shared memory that the launch asked for, to see whether a kernel writes there.
constexpr std::size_t most_canary_bytes = 4096;
constexpr char canary = '\xA5';

// Shared memory starts as garbage on hardware. This makes it NaN, also in double, and a negative number,
// which show; as a word it is none that an output holds before a launch, so that who stores it is known to
// have stored something.
void poison(std::span<char> memory) {
  constexpr std::uint32_t word = 0xFFFFDEAD;
  for (; memory.size() > sizeof word; memory = memory.subspan(sizeof word))
    std::memcpy(memory.data(), &word, sizeof word);
  std::memcpy(memory.data(), &word, memory.size());
}

std::span<char> canary_of(const SharedMemory& shared) {
  if (!shared.has_dynamic) return {};
  const std::size_t left = simulated_shared_bytes - std::min(shared.dynamic_bytes, simulated_shared_bytes);
  return {shared.dynamic_address() + shared.dynamic_bytes, std::min(left, most_canary_bytes)};
}

}  // namespace

BlockScheduler::BlockScheduler() = default;
BlockScheduler::~BlockScheduler() {
  forget_fibers();
}

void BlockScheduler::start_launch(const SimulatedLaunch& launch, const fault::KernelCode& code) {
  code_ = code;
  asked_to_stop_ = false;
  printed_bytes_ = 0;
  if (launch.schedule == device::Schedule::checked) start_checker(launch);
}

void BlockScheduler::start_block(const SimulatedLaunch& launch, const Extent& block_index) {
  launch_ = &launch;
  count_ = live_ = static_cast<unsigned>(launch.config.block.volume());
  next_ = 0;
  set_grid_and_block(launch.config, block_index);
  is_reversed_ = launch.order.kind == device::ThreadOrder::Kind::reverse;
  is_preempted_ = launch.schedule == device::Schedule::preemptive ||
                  launch.order.kind == device::ThreadOrder::Kind::preempted;
  random_ = (2654435761u * (block_index.x + 1) + block_index.y + block_index.z) ^ (launch.order.seed - 1);
  if (random_ == 0) random_ = 1;
  accesses_until_switch_ = 1;

  threads_.resize(std::max<std::size_t>(threads_.size(), count_));
  requests_.resize(threads_.size());
  ready_.resize(count_);
  ready_head_ = ready_size_ = 0;
  at_barrier_.clear();
  at_barrier_.reserve(count_);
  idle_.reserve(count_);
  stacks_.reserve(count_);
  missed_barriers_.reserve(most_missed_barriers);
  predicates_ = 0;
  standstill_ = Standstill::waiting;
  warps_.resize((count_ + 31) / 32);
  for (unsigned first = 0; first < count_; first += 32) {
    const unsigned lanes = std::min(32u, count_ - first);
    warps_[first / 32].live = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps_[first / 32].groups.clear();
    warps_[first / 32].groups.reserve(32);
  }

  const SharedMemory& shared = launch.shared;
  char* const dynamic = shared.dynamic_address();
  char* const module = dynamic - shared.dynamic_offset;
  set_shared_memory(module, shared.module_bytes);
  if (launch.schedule == device::Schedule::counted) {
    if (!recorder_) recorder_ = std::make_unique<count::AccessRecorder>(launch.global_memory);
    recorder_->set_shared_memory({reinterpret_cast<std::uintptr_t>(module), shared.module_bytes});
  }
  for (const SharedMemory::Range& range : shared.statics) poison({module + range.offset, range.bytes});
  poison({dynamic, shared.dynamic_bytes});
  std::ranges::fill(canary_of(shared), canary);
  if (checker_) checker_->start_block(number_of_block(), count_);
}

// After a block that came to its end.
void BlockScheduler::check_dynamic_shared() const {
  if (checker_) return;  // which has seen the access itself
  const std::span<char> behind = canary_of(launch_->shared);
  if (std::ranges::all_of(behind, [](char byte) { return byte == canary; })) return;
  throw KernelFailure{"CUDA_ERROR_ILLEGAL_ADDRESS",
                      "block " + std::to_string(current_block_index().x) +
                          " wrote past the end of its dynamic shared memory, of which the launch gives it " +
                          std::to_string(launch_->shared.dynamic_bytes) +
                          " bytes (between <<< and >>>, the third)",
                      {.kind = FailureKind::not_enough_shared}};
}

void BlockScheduler::remark_missed_barrier(int line) {
  if (checker_) add_missed_barrier(line);
  const auto found = std::ranges::find(missed_barriers_, line, &std::pair<int, std::size_t>::first);
  if (found != missed_barriers_.end())
    found->second += count_ - live_;
  else if (missed_barriers_.size() < most_missed_barriers)
    missed_barriers_.emplace_back(line, count_ - live_);
}

std::map<int, std::size_t> BlockScheduler::take_missed_barriers() {
  std::map<int, std::size_t> taken(missed_barriers_.begin(), missed_barriers_.end());
  missed_barriers_.clear();
  return taken;
}

}  // namespace gpulab::simulator::schedule
