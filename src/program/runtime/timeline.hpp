#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/gpu.hpp"
#include "estimate/ptx.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/estimate.hpp"
#include "lesson/exercise.hpp"
#include "program/nvcc.hpp"
#include "program/runtime/errors.hpp"

namespace gpulab::program::runtime {

// The operations of a program in the order of its calls, and when a simple model of a GPU would run them. A
// call takes the host 2 us, and 50 us if it allocates or frees memory. Page-locked memory is copied at 24
// GB/s. Pageable memory is copied at 8 GB/s, and the host waits. Each direction has one copy engine. A kernel
// moves 12 bytes per thread at 1 TB/s and takes at least 3 us; kernels run one after another. So the same
// program has the same timeline on every machine. If a program is inspected, kernels take the time that is
// predicted for them, and page-locked memory is copied as fast as the GPU's file says.
class Timeline {
 public:
  struct Work {
    TimelineEntry::Kind kind = TimelineEntry::Kind::other;
    std::string name;
    std::size_t stream = 0;
    std::size_t bytes = 0;
    bool is_pageable = false;
    double predicted_s = 0;  // of a kernel; 0 if nothing is predicted
  };

  // Adds a call by the host. Steps up to the next call belong to it.
  void add_call(const std::string& name, Site site);
  // Adds work, and returns its step's number.
  std::size_t add_work(const Work& work, Site site);
  // Notes the predicted time of a kernel, once its accesses are counted.
  void predict(std::size_t step, double seconds);
  void set_pinned_rate(double bytes_per_s) { pinned_bytes_per_s_ = bytes_per_s; }
  void record(const void* event, std::size_t stream) {
    add({.kind = StepKind::record, .event = event, .stream = stream});
  }
  // Order later work of the stream after the event's latest recording, or after all work of the other stream.
  void wait_for_event(std::size_t stream, const void* event) {
    add({.kind = StepKind::wait_for_event, .event = event, .stream = stream});
  }
  void wait_for_stream(std::size_t stream, std::size_t other) {
    add({.kind = StepKind::wait_for_stream, .stream = stream, .other = other});
  }
  void host_waits_for_event(const void* event) {
    add({.kind = StepKind::host_waits_for_event, .event = event});
  }
  void host_waits_for_stream(std::size_t stream) {
    add({.kind = StepKind::host_waits_for_stream, .stream = stream});
  }
  // Notes that the latest call waits for work as a side effect, as cudaFree does.
  void host_waits_implicitly() { add({.kind = StepKind::host_waits_implicitly}); }
  // Notes that the latest call gave the time between two events.
  void measure(const void* start, const void* stop, double milliseconds, Site site) {
    add({.kind = StepKind::measure,
         .site = site,
         .event = start,
         .stop = stop,
         .milliseconds = milliseconds});
  }

  std::size_t calls() const { return calls_; }
  // Returns whether a call whose name begins so came after that many calls.
  bool has_call(std::string_view name, std::size_t calls_before) const;
  // Return the timeline, or only its beginning if it is very long, and the times between events.
  std::vector<TimelineEntry> entries() const;
  std::vector<MeasuredTime> measured() const;

 private:
  enum class StepKind {
    call,
    work,
    record,
    wait_for_event,
    wait_for_stream,
    host_waits_for_event,
    host_waits_for_stream,
    host_waits_implicitly,
    measure
  };
  struct Step {
    StepKind kind;
    Work work = {};
    Site site = {};
    const void* event = nullptr;
    std::size_t stream = 0, other = 0;
    const void* stop = nullptr;
    double milliseconds = 0;
  };
  class Replay;

  void add(Step step);
  Replay replayed() const;

  std::vector<Step> steps_;
  double pinned_bytes_per_s_ = 24e9;
  std::size_t calls_ = 0;
};

// Predicts the time of launches on a GPU that may not be here.
class Prediction {
 public:
  Prediction(estimate::Gpu gpu, GpuCode code) : gpu_(std::move(gpu)), code_(std::move(code)) {}

  const estimate::Gpu& gpu() const { return gpu_; }

  // Predicts one launch whose accesses were counted. `symbol` is the kernel's, from the host's compiler.
  Estimate of(const std::string& kernel, const std::string& symbol, const LaunchConfig& config,
              std::size_t shared_bytes, const AccessCounts& accesses);

 private:
  // A kernel in the code for the GPU.
  struct Compiled {
    int registers = 0;  // 0 if they are not known
    bool has_local_memory = false;
    std::optional<estimate::PtxKernel> ptx = {};
  };
  const Compiled& compiled_for(const std::string& symbol);

  estimate::Gpu gpu_;
  GpuCode code_;
  std::map<std::string, Compiled> compiled_;
};

}  // namespace gpulab::program::runtime
