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
// first. Without a plain loop the second alone: it made what is expected.
std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s);

// Times a library's call on the host with these arguments, which is checked first and last, and is named by
// its library and version. None where the library is missing.
std::optional<ReferenceResult> time_host_library(const std::string& call, const Arguments& arguments,
                                                 const PreparedProblem& prepared, const Tolerance& tolerance,
                                                 double time_budget_s);

// Times the copies of all inputs to the device and of all outputs back, from and to page-locked memory.
TransferResult time_transfers(device::Device& device, device::Stream& stream, DeviceArrays& arrays,
                              PreparedProblem& prepared, double time_budget_s);

// Times work on a stream by events, cold: before each sample the caches are evicted. That takes the device
// longer than the host needs to put the next sample in the queue, so the host's launch latency stays out of
// the samples.
class StreamStopwatch : public Stopwatch {
 public:
  // before is put into the stream ahead of each sample, untimed.
  StreamStopwatch(device::Device& device, device::Stream& stream, std::function<void()> before,
                  std::function<void()> work);

  void take(std::size_t count, std::vector<double>& samples_s) override;
  double now_s() override;
  std::optional<double> clock_hz() override { return device_.current_clock_hz(); }

 private:
  static constexpr std::size_t queued_at_once = 64;

  void take_queued(std::size_t count, std::vector<double>& samples_s);

  device::Device& device_;
  device::Stream& stream_;
  std::function<void()> before_, work_;
  std::vector<std::unique_ptr<device::Event>> starts_, stops_;
};

// Times work on a stream as the host sees it: from the first call until everything is done. before comes
// ahead of each sample, untimed.
class WallStopwatch : public Stopwatch {
 public:
  WallStopwatch(device::Device& device, device::Stream& stream, std::function<void()> before,
                std::function<void()> work)
      : device_(device), stream_(stream), before_(std::move(before)), work_(std::move(work)) {}

  void take(std::size_t count, std::vector<double>& samples_s) override;
  double now_s() override;

 private:
  device::Device& device_;
  device::Stream& stream_;
  std::function<void()> before_, work_;
};

// Times work on a stream steadily: many runs captured as one graph, one after another on the same arrays with
// the caches as the run before left them. A sample is the time of the graph divided by their number, so that
// neither the host's launches nor the resolution of events counts.
class GraphStopwatch : public Stopwatch {
 public:
  // Throws DeviceError when work cannot be captured because it waits for the device.
  GraphStopwatch(device::Device& device, device::Stream& stream, std::size_t runs,
                 const std::function<void()>& work);

  // False where the device has no graphs; then nothing can be taken.
  bool can_take() const { return graph_ != nullptr; }

  void take(std::size_t count, std::vector<double>& samples_s) override;
  double now_s() override;
  std::optional<double> clock_hz() override { return device_.current_clock_hz(); }

 private:
  device::Device& device_;
  device::Stream& stream_;
  std::size_t runs_;
  std::unique_ptr<device::Graph> graph_;
  std::unique_ptr<device::Event> start_, stop_;
};

// Notes when each piece of work in any stream starts and ends, by events around it.
class TimelineRecorder {
 public:
  // The time of the timeline begins here, in that stream.
  TimelineRecorder(device::Device& device, device::Stream& stream);

  // Puts the work into the stream, between two events.
  void around(Span span, device::Stream& stream, const std::function<void()>& work);

  // After everything has been waited for.
  Timeline timeline();

 private:
  struct Noted {
    Span span;
    std::unique_ptr<device::Event> start, stop;
  };

  device::Device& device_;
  std::unique_ptr<device::Event> origin_;
  std::vector<Noted> noted_;
};

}  // namespace gpulab::run
