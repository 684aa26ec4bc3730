#pragma once

#include "bench/limits.hpp"

namespace gpulab::bench {

// One case of limits, which is faster than its yardstick and misses its share of the ceiling.
inline LimitsResult measured_limits() {
  LimitResult result{.lesson = "arbitrary-size",
                     .traffic = {.bytes_read = 8e9, .bytes_written = 4e9},
                     .variant = {.name = "wide-loads", .observed = Outcome::right},
                     .yardstick = VariantResult{.name = "cub", .observed = Outcome::right},
                     .ceiling = Ceiling{"two reads, one write", 4e12},
                     .reference = ReferenceResult{.name = "reference, OpenMP", .threads = 16},
                     .reference_fraction = 0.81};
  result.limit_case = {
      .label = "2^28", .variant = "wide-loads", .yardstick = "cub", .min_fraction_of_ceiling = 0.8};
  result.variant.kernel_cold = Timing{.samples_s = {4e-3}, .median_s = 4e-3};
  result.variant.clock_hz = 1.98e9;
  result.yardstick->kernel_cold = Timing{.samples_s = {5e-3}, .median_s = 5e-3};
  result.reference->timing = {.samples_s = {0.1}, .median_s = 0.1};
  return {.device = {.kind = "cuda", .name = "Some GPU"}, .seed = 42, .cases = {result}};
}

// A kernel on the simulator: 4 million threads in 20 ms on all cores, in 30 ms on one, in 5 ms as OpenCL.
inline LimitsResult simulated_limits() {
  const auto timed = [](double seconds) {
    return VariantResult{.name = "guarded",
                         .observed = Outcome::right,
                         .launch = LaunchConfig{.grid = {4000}, .block = {1000}},
                         .launch_wall = Timing{.samples_s = {seconds}, .median_s = seconds}};
  };
  SimulationResult result{.lesson = "arbitrary-size",
                          .limit_case = {.label = "2^24", .variant = "guarded"},
                          .on_one_core = timed(30e-3),
                          .on_all_cores = timed(20e-3),
                          .host_library = ReferenceResult{.name = "PoCL 3.1", .threads = 2}};
  result.host_library->timing = {.samples_s = {5e-3}, .median_s = 5e-3};
  return {.device = {.kind = "simulator", .name = "CPU"}, .seed = 42, .simulated = {result}};
}

}  // namespace gpulab::bench
