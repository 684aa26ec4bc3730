#pragma once

#include <functional>

#include "measure/stopwatch.hpp"

namespace gpulab {

// Times work on the CPU with a clock that nobody sets.
class HostStopwatch : public Stopwatch {
 public:
  explicit HostStopwatch(std::function<void()> work) : work_(std::move(work)) {}

  void take(std::size_t count, std::vector<double>& samples_s) override;
  double now_s() override;

 private:
  std::function<void()> work_;
};

}  // namespace gpulab
