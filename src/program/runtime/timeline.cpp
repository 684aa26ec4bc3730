#include "program/runtime/timeline.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "device/ptxas_report.hpp"
#include "device/symbols.hpp"
#include "estimate/ptx.hpp"

namespace gpulab::program::runtime {
namespace {

using EntryKind = TimelineEntry::Kind;

constexpr double call_s = 2e-6, allocation_s = 50e-6, min_kernel_s = 3e-6, min_copy_s = 1e-6;
constexpr double pageable_bytes_per_s = 8e9, memory_bytes_per_s = 1e12;

double duration_of_call(std::string_view name) {
  const bool is_allocation =
      name.starts_with("cudaMalloc") || name.starts_with("cudaFree") || name.starts_with("cudaHost");
  return is_allocation ? allocation_s : call_s;
}

double duration_of(const Timeline::Work& work, double pinned_bytes_per_s) {
  const auto bytes = static_cast<double>(work.bytes);
  if (work.predicted_s > 0) return work.predicted_s;
  if (work.kind == EntryKind::kernel) return std::max(min_kernel_s, bytes / memory_bytes_per_s);
  if (work.kind == EntryKind::other) return min_copy_s + bytes / memory_bytes_per_s;
  return min_copy_s + bytes / (work.is_pageable ? pageable_bytes_per_s : pinned_bytes_per_s);
}

}  // namespace

// Replay of the steps in the order of the calls.
class Timeline::Replay {
 public:
  explicit Replay(double pinned_bytes_per_s) : pinned_bytes_per_s_(pinned_bytes_per_s) {}

  void add(const Step& step) {
    switch (step.kind) {
      case StepKind::call:
        return add_call(step);
      case StepKind::work:
        return add_work(step);
      case StepKind::record:
        events_[step.event] = std::max(host_s_, ready_[step.stream]);
        return;
      case StepKind::wait_for_event:
        ready_[step.stream] = std::max(ready_[step.stream], events_[step.event]);
        return;
      case StepKind::wait_for_stream:
        ready_[step.stream] = std::max(ready_[step.stream], ready_[step.other]);
        return;
      case StepKind::host_waits_for_event:
        return host_waits_until(events_[step.event]);
      case StepKind::host_waits_for_stream:
        return host_waits_until(ready_[step.stream]);
      case StepKind::host_waits_implicitly:
        if (last_call_ < entries_.size()) entries_[last_call_].is_implicit_wait = true;
        return;
      case StepKind::measure:
        measured_.push_back(
            {place_of(step.site), events_[step.event], events_[step.stop], step.milliseconds});
    }
  }

  std::vector<TimelineEntry> take_entries() { return std::move(entries_); }
  std::vector<MeasuredTime> take_measured() { return std::move(measured_); }

 private:
  void add_call(const Step& step) {
    const double end_s = host_s_ + duration_of_call(step.work.name);
    last_call_ = entries_.size();
    entries_.push_back(
        {.name = step.work.name, .place = place_of(step.site), .start_s = host_s_, .end_s = end_s});
    host_s_ = end_s;
  }

  void add_work(const Step& step) {
    const Work& work = step.work;
    double& engine_s = engines_[work.kind];
    const double start_s = std::max({host_s_, ready_[work.stream], engine_s}),
                 end_s = start_s + duration_of(work, pinned_bytes_per_s_);
    engine_s = ready_[work.stream] = end_s;
    entries_.push_back({.name = work.name,
                        .stream = static_cast<int>(work.stream),
                        .place = place_of(step.site),
                        .start_s = start_s,
                        .end_s = end_s,
                        .bytes = work.bytes,
                        .kind = work.kind,
                        .is_pageable = work.is_pageable});
    if (work.is_pageable) host_waits_until(end_s);
  }

  void host_waits_until(double time_s) {
    host_s_ = std::max(host_s_, time_s);
    if (last_call_ < entries_.size())
      entries_[last_call_].end_s = std::max(entries_[last_call_].end_s, host_s_);
  }

  double pinned_bytes_per_s_;
  double host_s_ = 0;
  std::size_t last_call_ = static_cast<std::size_t>(-1);  // none yet
  std::map<std::size_t, double> ready_;
  std::map<EntryKind, double> engines_;
  std::map<const void*, double> events_;
  std::vector<TimelineEntry> entries_;
  std::vector<MeasuredTime> measured_;
};

void Timeline::add(Step step) {
  constexpr std::size_t max_steps = 20'000;
  if (steps_.size() < max_steps) steps_.push_back(std::move(step));
}

void Timeline::add_call(const std::string& name, Site site) {
  ++calls_;
  add({.kind = StepKind::call, .work = {.name = name}, .site = site});
}

bool Timeline::has_call(std::string_view name, std::size_t calls_before) const {
  std::size_t number = 0;
  return std::ranges::any_of(steps_, [&](const Step& step) {
    return step.kind == StepKind::call && number++ >= calls_before && step.work.name.starts_with(name);
  });
}

std::size_t Timeline::add_work(const Work& work, Site site) {
  const std::size_t step = steps_.size();
  add({.kind = StepKind::work, .work = work, .site = site});
  return step;
}

void Timeline::predict(std::size_t step, double seconds) {
  if (step < steps_.size()) steps_[step].work.predicted_s = seconds;
}

Timeline::Replay Timeline::replayed() const {
  Replay replay(pinned_bytes_per_s_);
  for (const Step& step : steps_) replay.add(step);
  return replay;
}

std::vector<TimelineEntry> Timeline::entries() const {
  return replayed().take_entries();
}

std::vector<MeasuredTime> Timeline::measured() const {
  return replayed().take_measured();
}

// Also looks for the demangled name, since nvcc mangles static functions and unnamed namespaces in another
// way than the host's compiler.
const Prediction::Compiled& Prediction::compiled_for(const std::string& symbol) {
  const auto known = compiled_.find(symbol);
  if (known != compiled_.end()) return known->second;
  Compiled& compiled = compiled_[symbol];
  const std::string name = device::demangled_name(symbol);
  for (std::size_t i = 0; i < code_.ptx.size() && !compiled.ptx; ++i)
    for (const std::string& kernel : estimate::kernels_in(code_.ptx[i])) {
      if (kernel != symbol && device::demangled_name(kernel) != name) continue;
      compiled.ptx = estimate::read_ptx(code_.ptx[i], kernel, code_.files);
      if (const auto attributes = device::reported_attributes(code_.reports[i], kernel)) {
        compiled.registers = attributes->registers_per_thread;
        compiled.has_local_memory = attributes->local_bytes_per_thread > 0;
      }
      break;
    }
  return compiled;
}

Estimate Prediction::of(const std::string& kernel, const std::string& symbol, const LaunchConfig& config,
                        std::size_t shared_bytes, const AccessCounts& accesses) {
  const Compiled& compiled = compiled_for(symbol);
  const estimate::Occupancy occupancy =
      estimate::occupancy_of(gpu_, compiled.registers, shared_bytes, config.block.volume());
  KernelWork work =
      estimate::work_of(accesses, config, occupancy.blocks * gpu_.multiprocessors, compiled.ptx);
  work.kernel = kernel;
  work.registers = compiled.registers;
  work.shared_bytes = shared_bytes;
  if (!compiled.has_local_memory) work.local_requests = 0;  // ptxas keeps small arrays in registers
  // Factor between the ends of a predicted range and its middle. The model was fitted to lessons, and
  // programs differ more: of 12 kernels of public programs, 6 were in the range that lessons have, and 9 are
  // in this wider range (docs/estimates.md).
  constexpr double width_of_programs = 1.8;
  return estimate::estimate_of(gpu_, {work}, 1, width_of_programs);
}

}  // namespace gpulab::program::runtime
