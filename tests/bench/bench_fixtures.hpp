#pragma once

#include "bench/result.hpp"
#include "test.hpp"

// Documents of bench with invented measurements.

namespace gpulab::bench {

inline DeviceProperties some_gpu() {
  return {.kind = "cuda",
          .name = "Some GPU",
          .compute_capability_major = 9,
          .multiprocessors = 132,
          .memory_bytes = 1 << 30,
          .l2_bytes = 1 << 20,
          .clock_hz = 1.98e9,
          .memory_clock_hz = 2.6e9,
          .peak_bytes_per_s = 4.8e12,
          .peak_operations_per_s = 6e13,
          .driver_version = "580.1"};
}

inline BenchCase some_case(const std::string& variant = "shared", std::size_t size = 1024) {
  return {.lesson = "histogram",
          .variant = variant,
          .size = size,
          .options = {{"distribution", std::string("uniform")}}};
}

// Returns samples whose median is this many microseconds, with an interval of 0.2 % to both sides.
inline Timing taking_us(double us) {
  const double s = us / 1e6;
  return {.samples_s = {s, s, s, s, s, s}, .median_s = s, .confidence_s = Interval{s * 0.998, s * 1.002}};
}

inline BenchRow right_row(const BenchCase& what, int process = 0) {
  return {.what = what,
          .process = process,
          .expected = Outcome::right,
          .observed = Outcome::right,
          .valid = true,
          .traffic = {.bytes_read = 4096, .bytes_written = 1024, .operations = 1024}};
}

inline BenchRow cold_row(const BenchCase& what, double us, int process = 0) {
  BenchRow row = right_row(what, process);
  row.times[BenchTime::cold] = taking_us(us);
  return row;
}

inline BenchRow wrong_row(const BenchCase& what, const std::string& explanation) {
  BenchRow row = right_row(what);
  row.observed = Outcome::wrong;
  row.valid = false;
  row.explanation = explanation;
  return row;
}

inline BenchResult on_gpu(std::vector<BenchRow> rows) {
  BenchResult result{.facts = {.started_utc = "2026-11-22T08:00:00Z",
                               .argv = {"gpulab", "bench", "histogram"},
                               .hostname = "host",
                               .cpu = "Some CPU",
                               .cores = 16,
                               .build = {.version = "1.0.0",
                                         .revision = "abc1234",
                                         .compiler = "GNU 14",
                                         .build_type = "Release",
                                         .cuda_toolkit = "13.0"}},
                     .device = some_gpu(),
                     .plan = {.processes = 3, .rows = rows.size()}};
  result.rows = std::move(rows);
  return result;
}

// Returns one case that took us[process] microseconds in each process.
inline BenchResult cold_in(const std::vector<double>& us, const BenchCase& what = some_case()) {
  std::vector<BenchRow> rows;
  for (std::size_t process = 0; process < us.size(); ++process)
    rows.push_back(cold_row(what, us[process], static_cast<int>(process)));
  return on_gpu(std::move(rows));
}

inline BenchResult on_simulator(std::map<std::string, std::uint64_t> counts) {
  BenchRow row = right_row(some_case());
  row.counts = std::move(counts);
  BenchResult result = on_gpu({row});
  result.device = {.kind = "simulator", .name = "simulated on the CPU, Some CPU", .multiprocessors = 2};
  return result;
}

}  // namespace gpulab::bench
