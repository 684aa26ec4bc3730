#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "bench/result.hpp"

namespace gpulab::bench {

// Times of one size on the CPU and with a GPU, in seconds; none if not measured.
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

// Size from which the GPU is faster.
struct Crossing {
  enum class Kind {
    always,  // from the smallest size on
    from,    // from `size` on
    never,   // not at the largest size
    not_measured,
  };
  Kind kind = Kind::not_measured;
  double size = 0;  // for `from`: where the two times are equal, interpolated between two sizes
};

struct CrossoverResult {
  BenchCase what;                      // without variant and size
  std::vector<CrossoverPoint> points;  // by size
  // Crossings against one CPU thread and against all, with the data already on the GPU and with copies.
  Crossing one_thread, one_thread_with_copies, all_threads, all_threads_with_copies;
};

// Returns a result for each lesson and set of options. Above a crossing, the GPU wins at every size.
std::vector<CrossoverResult> crossovers(const BenchResult& measured);

// Returns a table of the CPU's and the GPU's times over size, and from which size the GPU is faster.
std::string crossover_text(const CrossoverResult& result, const BenchResult& measured,
                           const TextStyle& style);

// Plots the four times over size with characters.
std::string crossover_plot(const CrossoverResult& result, const TextStyle& style);

// Returns one document, "gpulab.crossover", which matches data/gpulab-crossover.schema.json.
std::string crossover_json(const std::vector<CrossoverResult>& results, const BenchResult& measured);

}  // namespace gpulab::bench
