#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/finding.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/sampling.hpp"

namespace gpulab::run {

// Times the plain loop on one thread and the OpenMP reference on all, and checks the second against the
// first. If there is no plain loop, only the OpenMP reference is timed: it made the expected outputs.
std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s);

// Checks a library call on the host with these arguments, times it, checks it again, and names it by library
// and version. None if the library is missing.
std::optional<ReferenceResult> time_host_library(const std::string& call, const Arguments& arguments,
                                                 const PreparedProblem& prepared, const Tolerance& tolerance,
                                                 double time_budget_s);

// Times copies of all inputs to the device and all outputs back, with page-locked memory.
TransferResult time_transfers(device::Device& device, device::Stream& stream, DeviceArrays& arrays,
                              PreparedProblem& prepared, double time_budget_s);

// Times work on a stream with events, cold: evicts the caches before each sample. That takes the device
// longer than the host needs to queue the next sample, so launch latency does not count.
class StreamStopwatch : public Stopwatch {
 public:
  // `before` and `after` are queued around each sample, untimed.
  StreamStopwatch(
      device::Device& device, device::Stream& stream, std::function<void()> before,
      std::function<void()> work, std::function<void()> after = [] {})
      : device_(device),
        stream_(stream),
        before_(std::move(before)),
        work_(std::move(work)),
        after_(std::move(after)) {}

  void take(std::size_t count, std::vector<double>& samples_s) override;
  std::optional<double> clock_hz() override { return device_.current_clock_hz(); }

 private:
  static constexpr std::size_t queued_at_once = 64;

  void take_queued(std::size_t count, std::vector<double>& samples_s);

  device::Device& device_;
  device::Stream& stream_;
  std::function<void()> before_, work_, after_;
  std::vector<std::unique_ptr<device::Event>> starts_, stops_;
};

// Times work on a stream as the host sees it: from the first call to completion. `before` and `after` come
// around each sample, untimed.
class WallStopwatch : public Stopwatch {
 public:
  WallStopwatch(device::Device& device, device::Stream& stream, std::function<void()> before,
                std::function<void()> work, std::function<void()> after)
      : device_(device),
        stream_(stream),
        before_(std::move(before)),
        work_(std::move(work)),
        after_(std::move(after)) {}

  void take(std::size_t count, std::vector<double>& samples_s) override;

 private:
  device::Device& device_;
  device::Stream& stream_;
  std::function<void()> before_, work_, after_;
};

// Times steady work on a stream: many runs captured as one graph, back to back on the same arrays with warm
// caches. A sample is the graph's time divided by the number of runs, so launches and the resolution of
// events do not count.
class GraphStopwatch : public Stopwatch {
 public:
  // Throws DeviceError if work cannot be captured because it waits for the device.
  GraphStopwatch(device::Device& device, device::Stream& stream, std::size_t runs,
                 const std::function<void()>& work);

  // Returns false if the device has no graphs, so that nothing can be measured.
  bool can_take() const { return graph_ != nullptr; }

  void take(std::size_t count, std::vector<double>& samples_s) override;
  std::optional<double> clock_hz() override { return device_.current_clock_hz(); }

 private:
  device::Device& device_;
  device::Stream& stream_;
  std::size_t runs_;
  std::unique_ptr<device::Graph> graph_;
  std::unique_ptr<device::Event> start_, stop_;
};

// Records start and end of each operation in any stream, with events around it.
class TimelineRecorder {
 public:
  // Starts the timeline's clock, in that stream.
  TimelineRecorder(device::Device& device, device::Stream& stream);

  // Puts the work into the stream between two events.
  void record(Span span, device::Stream& stream, const std::function<void()>& work);

  // Returns the spans. All streams must have been waited for.
  Timeline timeline();

 private:
  struct RecordedSpan {
    Span span;
    std::unique_ptr<device::Event> start, stop;
  };

  device::Device& device_;
  std::unique_ptr<device::Event> origin_;
  std::vector<RecordedSpan> recorded_;
};

}  // namespace gpulab::run
