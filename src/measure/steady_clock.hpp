#pragma once

#include <chrono>

namespace gpulab {

// Seconds since a fixed moment, by a clock that nobody sets.
inline double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gpulab
