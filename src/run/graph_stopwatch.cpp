#include "run/graph_stopwatch.hpp"

#include "measure/sampling.hpp"

namespace gpulab::run {

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

}  // namespace gpulab::run
