#include "run/timeline_recorder.hpp"

namespace gpulab::run {

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
