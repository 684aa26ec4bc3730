#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/timeline.hpp"
#include "device/device.hpp"

namespace gpulab::run {

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
