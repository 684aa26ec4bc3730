#include "measure/host_stopwatch.hpp"

#include "measure/steady_clock.hpp"

namespace gpulab {

void HostStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    const double start = now_s();
    work_();
    samples_s.push_back(now_s() - start);
  }
}

double HostStopwatch::now_s() {
  return steady_now_s();
}

}  // namespace gpulab
