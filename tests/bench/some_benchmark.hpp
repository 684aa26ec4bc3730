#pragma once

#include "bench/result.hpp"

namespace gpulab::bench {

inline Timing some_timing(double seconds, double half_width = 0.01) {
  return {.samples_s = {seconds},
          .median_s = seconds,
          .confidence_s = Interval{seconds * (1 - half_width), seconds * (1 + half_width)}};
}

// Returns a row of a kernel that reads four bytes for each work item.
inline BenchRow some_row(const std::string& variant, std::size_t size, double cold_s, int process = 0) {
  BenchRow row{.what = {.lesson = "reduction", .variant = variant, .size = size},
               .process = process,
               .observed = Outcome::right,
               .valid = true,
               .traffic = {.bytes_read = 4.0 * static_cast<double>(size)}};
  row.times[BenchTime::cold] = some_timing(cold_s);
  return row;
}

inline BenchRow some_reference(std::size_t size, double cpu_s) {
  BenchRow row = some_row("reference", size, cpu_s);
  row.kind = BenchKind::cpu;
  row.times.clear();
  row.times[BenchTime::cpu] = some_timing(cpu_s);
  return row;
}

inline BenchRow some_counted_row(const std::string& variant, std::size_t size, std::uint64_t sectors) {
  BenchRow row = some_row(variant, size, 1);
  row.times.clear();
  row.counts = {{"global_load_sectors", sectors},
                {"global_store_sectors", 1},
                {"global_load_requests", 2},
                {"global_load_active_lanes", 33}};
  return row;
}

inline BenchResult some_benchmark(std::vector<BenchRow> rows) {
  return {.facts = {.started_utc = "2026-03-01T09:30:00Z",
                    .argv = {"gpulab", "bench", "reduction"},
                    .hostname = "node7",
                    .cores = 16,
                    .build = {.version = "0.1.0", .revision = "abc"}},
          .device = {.kind = "cuda",
                     .name = "Some GPU",
                     .l2_bytes = 1 << 22,
                     .peak_bytes_per_s = 4e12,
                     .peak_operations_per_s = 6e13},
          .plan = {.rows = rows.size()},
          .ceilings = {{"copy", 3e12}, {"multiply-add", 5e13}},
          .rows = std::move(rows)};
}

// Returns rows of a reference, a slow kernel and a fast one, in this order: three at a small size, then three
// at a size at which the data do not fit in the L2 cache.
inline BenchResult some_sweep() {
  return some_benchmark({some_reference(1 << 18, 1e-3), some_row("naive", 1 << 18, 1e-5),
                         some_row("fast", 1 << 18, 5e-6), some_reference(1 << 24, 6.4e-2),
                         some_row("naive", 1 << 24, 4e-4), some_row("fast", 1 << 24, 5e-5)});
}

inline BenchResult some_simulated_benchmark() {
  BenchResult result =
      some_benchmark({some_counted_row("naive", 1024, 4096), some_counted_row("fast", 1024, 128)});
  result.device = {.kind = "simulator", .name = "simulator"};
  result.ceilings.clear();
  return result;
}

}  // namespace gpulab::bench
