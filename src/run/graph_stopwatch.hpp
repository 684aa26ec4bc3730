#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "measure/sampling.hpp"

namespace gpulab::run {

// Times work on a stream steadily: many runs captured as one graph, one after another on the same arrays with
// the caches as the run before left them. A sample is the time of the graph divided by their number, so that
// neither the host's launches nor the resolution of events counts.
class GraphStopwatch : public measure::Stopwatch {
 public:
  // Throws DeviceError when work cannot be captured because it waits for the device.
  GraphStopwatch(device::Device& device, device::Stream& stream, std::size_t runs,
                 const std::function<void()>& work);

  // False where the device has no graphs; then nothing can be taken.
  bool can_take() const { return graph_ != nullptr; }

  void take(std::size_t count, std::vector<double>& samples_s) override;
  double now_s() override;

 private:
  device::Device& device_;
  device::Stream& stream_;
  std::size_t runs_;
  std::unique_ptr<device::Graph> graph_;
  std::unique_ptr<device::Event> start_, stop_;
};

}  // namespace gpulab::run
