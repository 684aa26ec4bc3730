#pragma once

#include <map>

// How much faster several devices are than one.

namespace gpulab {

// What the time of a problem is predicted from that is divided among devices: a fixed time, such as that of a
// launch; the rate at which each works; and what all do together at the end, by how many they are.
struct ScalingModel {
  double fixed_s = 0;
  double bytes_per_s = 0;
  std::map<int, double> together_s = {};  // none for 1

  // Throws std::out_of_range for a number of devices that nothing is known of.
  double predicted_s(int devices, double bytes) const {
    return fixed_s + bytes / devices / bytes_per_s + (devices > 1 ? together_s.at(devices) : 0);
  }

  // So many bytes take two devices as long as one: below that, one is faster.
  double crossover_bytes() const { return 2 * bytes_per_s * together_s.at(2); }
};

// Of devices that take so long together: how many times as fast as one of them, and which part of the best
// that can be.
constexpr double speed_up(double one_s, double all_s) {
  return one_s / all_s;
}
constexpr double parallel_efficiency(double one_s, double all_s, int devices) {
  return one_s / (all_s * devices);
}

// Of an all-reduce over so many devices, as nccl-tests defines them (doc/PERFORMANCE.md): bytes of the buffer
// over the time, and what each device's link carries of it, which a ring sends 2 (n - 1) / n times.
constexpr double algorithm_bandwidth(double bytes, double seconds) {
  return bytes / seconds;
}
constexpr double bus_bandwidth(double bytes, double seconds, int devices) {
  return algorithm_bandwidth(bytes, seconds) * 2 * (devices - 1) / devices;
}

}  // namespace gpulab
