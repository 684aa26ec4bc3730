#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bench_result.hpp"

namespace gpulab {

// What one size takes, on the CPU and with a GPU. Seconds; none where it was not measured.
struct CrossoverPoint {
  std::size_t size = 0;
  std::string variant;  // the fastest at that size
  std::optional<double> one_thread_s, all_threads_s;
  std::optional<double> launch_s;  // the host's time from the launch until it is done; the data is on the GPU
  std::optional<double> copies_s;  // inputs there and outputs back

  std::optional<double> with_copies_s() const {
    return launch_s && copies_s ? std::optional(*launch_s + *copies_s) : std::nullopt;
  }
};

// From which size on the GPU is faster.
struct Crossing {
  enum class Kind {
    always,  // at the smallest size already
    from,
    never,  // not at the largest size
    not_measured,
  };
  Kind kind = Kind::not_measured;
  double size = 0;  // of from: where the two times are equal, interpolated between two sizes
};

struct CrossoverResult {
  BenchCase what;                      // without variant and size
  std::vector<CrossoverPoint> points;  // by size
  // Against one CPU thread and against all of them, with the data there already and with copies.
  Crossing one_thread, one_thread_with_copies, all_threads, all_threads_with_copies;
};

// One for each lesson and set of options. A crossing is the size behind which the GPU wins at every measured
// size.
std::vector<CrossoverResult> crossovers(const BenchResult& measured);

}  // namespace gpulab
