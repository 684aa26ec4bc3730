#pragma once

#include <cstddef>
#include <vector>

namespace gpulab {

// How long one thing takes, however that is found out. Sampling sees time through this alone.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;

  // Does the thing count times and appends what each took, in seconds.
  virtual void take(std::size_t count, std::vector<double>& samples_s) = 0;

  // The clock on the wall, in seconds since any fixed moment. A sample costs more of it than it measures.
  virtual double now_s() = 0;
};

}  // namespace gpulab
