#include "run/stream_stopwatch.hpp"

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

}  // namespace gpulab::run
