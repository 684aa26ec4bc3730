#include "run/stopwatches.hpp"

#include <algorithm>

#include "measure/sampling.hpp"

namespace gpulab::run {

StreamStopwatch::StreamStopwatch(device::Device& device, device::Stream& stream, std::function<void()> before,
                                 std::function<void()> work)
    : device_(device), stream_(stream), before_(std::move(before)), work_(std::move(work)) {}

double StreamStopwatch::now_s() {
  return measure::steady_now_s();
}

void StreamStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t taken = 0; taken < count; taken += queued_at_once)
    take_queued(std::min(queued_at_once, count - taken), samples_s);
}

void StreamStopwatch::take_queued(std::size_t count, std::vector<double>& samples_s) {
  while (starts_.size() < count) {
    starts_.push_back(device_.create_event());
    stops_.push_back(device_.create_event());
  }
  for (std::size_t i = 0; i < count; ++i) {
    before_();
    device_.evict_caches(stream_);
    device_.record(*starts_[i], stream_);
    work_();
    device_.record(*stops_[i], stream_);
  }
  device_.synchronize(stream_);
  for (std::size_t i = 0; i < count; ++i) samples_s.push_back(device_.elapsed(*starts_[i], *stops_[i]));
}

double WallStopwatch::now_s() {
  return measure::steady_now_s();
}

void WallStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    before_();
    device_.synchronize(stream_);
    const double start_s = now_s();
    work_();
    device_.synchronize(stream_);
    samples_s.push_back(now_s() - start_s);
  }
}

GraphStopwatch::GraphStopwatch(device::Device& device, device::Stream& stream, std::size_t runs,
                               const std::function<void()>& work)
    : device_(device),
      stream_(stream),
      runs_(runs),
      start_(device.create_event()),
      stop_(device.create_event()) {
  graph_ = device.capture(stream, [&] {
    for (std::size_t i = 0; i < runs; ++i) work();
  });
}

double GraphStopwatch::now_s() {
  return measure::steady_now_s();
}

void GraphStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    device_.record(*start_, stream_);
    device_.launch(*graph_, stream_);
    device_.record(*stop_, stream_);
    device_.synchronize(stream_);
    samples_s.push_back(device_.elapsed(*start_, *stop_) / static_cast<double>(runs_));
  }
}

TimelineRecorder::TimelineRecorder(device::Device& device, device::Stream& stream)
    : device_(device), origin_(device.create_event()) {
  device.record(*origin_, stream);
}

void TimelineRecorder::around(Span span, device::Stream& stream, const std::function<void()>& work) {
  Noted noted{std::move(span), device_.create_event(), device_.create_event()};
  device_.record(*noted.start, stream);
  work();
  device_.record(*noted.stop, stream);
  noted_.push_back(std::move(noted));
}

Timeline TimelineRecorder::timeline() {
  Timeline timeline;
  for (Noted& noted : noted_) {
    noted.span.start_s = device_.elapsed(*origin_, *noted.start);
    noted.span.end_s = device_.elapsed(*origin_, *noted.stop);
    timeline.push_back(noted.span);
  }
  return timeline;
}

}  // namespace gpulab::run
