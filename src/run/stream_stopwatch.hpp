#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "measure/sampling.hpp"

namespace gpulab::run {

// Times work on a stream by events, cold: before each sample the caches are evicted. That takes the device
// longer than the host needs to put the next sample in the queue, so the host's launch latency stays out of
// the samples.
class StreamStopwatch : public measure::Stopwatch {
 public:
  // before is put into the stream ahead of each sample, untimed.
  StreamStopwatch(device::Device& device, device::Stream& stream, std::function<void()> before,
                  std::function<void()> work);

  void take(std::size_t count, std::vector<double>& samples_s) override;
  double now_s() override;

 private:
  static constexpr std::size_t queued_at_once = 64;

  void take_queued(std::size_t count, std::vector<double>& samples_s);

  device::Device& device_;
  device::Stream& stream_;
  std::function<void()> before_, work_;
  std::vector<std::unique_ptr<device::Event>> starts_, stops_;
};

}  // namespace gpulab::run
