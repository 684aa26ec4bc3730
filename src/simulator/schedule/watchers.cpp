#include "simulator/schedule/watchers.hpp"

#include <utility>

#include "simulator/schedule/device_calls.hpp"

namespace gpulab::simulator::schedule {

void Watchers::start_launch(const SimulatedLaunch& launch) {
  peers_.start_launch(launch.devices_memory, launch.device);
  if (launch.instrumentation != device::Instrumentation::checked) return;
  if (!checker_) checker_ = std::make_unique<check::BlockChecker>(*launch.watch, peers_);
  const SharedMemory& shared = launch.shared;
  const auto dynamic = reinterpret_cast<std::uintptr_t>(shared.dynamic_address());
  const std::uintptr_t module = dynamic - shared.dynamic_offset;
  std::vector<check::BlockChecker::SharedVariable> variables;
  for (const SharedMemory::Range& range : shared.statics)
    variables.push_back({{module + range.offset, range.bytes}, range.variable.c_str(), range.is_guard});
  if (shared.has_dynamic) variables.push_back({{dynamic, shared.dynamic_bytes}, "extern __shared__"});
  checker_->start_launch({module, shared.module_bytes}, std::move(variables), index_variables());
}

void Watchers::start_block(const SimulatedLaunch& launch, std::uint32_t block, unsigned threads) {
  if (launch.instrumentation == device::Instrumentation::counted) {
    if (!recorder_) recorder_ = std::make_unique<count::AccessRecorder>(launch.global_memory);
    const SharedMemory& shared = launch.shared;
    const auto dynamic = reinterpret_cast<std::uintptr_t>(shared.dynamic_address());
    recorder_->set_shared_memory({dynamic - shared.dynamic_offset, shared.module_bytes});
  }
  if (checker_) checker_->start_block(block, threads);
}

std::vector<count::AccessSite> Watchers::take_accesses() {
  const auto recorder = std::exchange(recorder_, nullptr);
  return recorder ? recorder->sites() : std::vector<count::AccessSite>();
}

std::vector<check::FoundDefect> Watchers::take_defects() {
  const auto checker = std::exchange(checker_, nullptr);
  return checker ? checker->take_defects() : std::vector<check::FoundDefect>();
}

}  // namespace gpulab::simulator::schedule
