#include "measure/host_stopwatch.hpp"

#include <chrono>

namespace gpulab {

void HostStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    const double start = now_s();
    work_();
    samples_s.push_back(now_s() - start);
  }
}

double HostStopwatch::now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gpulab
