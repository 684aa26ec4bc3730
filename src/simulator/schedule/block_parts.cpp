#include "simulator/schedule/block_parts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "simulator/schedule/hooks.hpp"

namespace gpulab::simulator::schedule {

void Watchers::start_launch(const SimulatedLaunch& launch) {
  peers_.start_launch(launch.all_allocations, launch.device);
  if (launch.instrumentation != device::Instrumentation::checked) return;
  if (!kept_checker_ || &kept_checker_->launch_watch() != launch.watch)
    kept_checker_ = std::make_unique<watch::BlockChecker>(*launch.watch, peers_);
  checker_ = kept_checker_.get();
  const SharedMemory& shared = launch.shared;
  const auto dynamic = reinterpret_cast<std::uintptr_t>(shared.dynamic_address());
  const std::uintptr_t module = dynamic - shared.dynamic_offset;
  std::vector<watch::BlockChecker::SharedVariable> variables;
  for (const SharedMemory::Range& range : shared.statics)
    variables.push_back({{module + range.offset, range.bytes}, range.variable.c_str(), range.is_guard});
  if (shared.has_dynamic) variables.push_back({{dynamic, shared.dynamic_bytes}, "extern __shared__"});
  checker_->start_launch({module, shared.module_bytes}, std::move(variables), index_variables(),
                         launch.warp_size);
}

void Watchers::start_block(const SimulatedLaunch& launch, std::uint32_t block, unsigned threads) {
  if (launch.instrumentation == device::Instrumentation::counted) {
    if (!recorder_) {
      recorder_ = std::make_unique<watch::AccessRecorder>(launch.global_memory, launch.warp_size);
      if (launch.has_footprints())
        recorder_->record_footprints(launch.runs_in_halves() ? watch::AccessRecorder::SharedRequests::all
                                                             : watch::AccessRecorder::SharedRequests::first);
    }
    const SharedMemory& shared = launch.shared;
    const auto dynamic = reinterpret_cast<std::uintptr_t>(shared.dynamic_address());
    recorder_->set_shared_memory({dynamic - shared.dynamic_offset, shared.module_bytes});
    recorder_->start_block(current_block_index(), block);
  }
  if (checker_) checker_->start_block(block, threads);
}

std::unique_ptr<watch::AccessRecorder> Watchers::take_recorder() {
  return std::exchange(recorder_, nullptr);
}

std::vector<watch::FoundDefect> Watchers::take_defects() {
  watch::BlockChecker* const checker = std::exchange(checker_, nullptr);
  return checker ? checker->take_defects() : std::vector<watch::FoundDefect>();
}

std::size_t Warp::group_for(LaneMask mask) {
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].mask == mask) return i;
  groups.push_back({mask, 0});
  return groups.size() - 1;
}

void Warps::start(unsigned threads, WarpSize warp_size) {
  warp_size_ = warp_size;
  const unsigned lanes = warp_size.lanes();
  requests_.resize(std::max<std::size_t>(requests_.size(), threads));
  warps_.resize(warp_size.warp_count(threads));
  for (unsigned first = 0; first < threads; first += lanes) {
    Warp& warp = of(first);
    warp.live = warp_size.all_lanes() >> (lanes - std::min(lanes, threads - first));
    warp.groups.clear();
    warp.in_active_mask = 0;
    warp.groups.reserve(lanes);
  }
}

Warp::Group Warps::complete(unsigned thread, std::size_t group_index, std::uint64_t undefined) {
  Warp& warp = of(thread);
  Warp::Group group = warp.groups[group_index];
  warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(group_index));
  const unsigned first = thread - warp_size_.lane_of(thread);
  for (LaneMask remaining = group.arrived; remaining; remaining &= remaining - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(remaining));
    WarpRequest& request = requests_[first + lane];
    if (request.all_values) {
      request.result = group.arrived;
      for (unsigned other = 0; other < warp_size_.lanes(); ++other)
        request.all_values[other] = group.arrived >> other & 1 ? requests_[first + other].mine : 0;
    } else if (request.source != WarpRequest::no_lane) {
      const unsigned source = warp_size_.lane_of(request.source);
      const bool has_source = group.arrived >> source & 1;
      request.result = has_source ? requests_[first + source].mine : undefined;
      if (!has_source) group.read_inactive |= LaneMask{1} << lane;
    }
  }
  return group;
}

}  // namespace gpulab::simulator::schedule
