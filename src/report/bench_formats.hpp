#pragma once

#include <string>
#include <vector>

#include "core/bench_result.hpp"

// What bench measured, as other tools read it. Each is a part of what the documents of gpulab.bench have.
// Formats for tools that chart one number for each name have the median over processes, without results that
// are wrong, and throw UsageError where nothing is left for them.

namespace gpulab::report {

// A row for each result of each process, as in RFC 4180; fields within fields have dots in their names.
std::string bench_csv(const std::vector<BenchResult>& results);

// A table with a row for each case, such as for $GITHUB_STEP_SUMMARY.
std::string bench_markdown(const std::vector<BenchResult>& results);

// A test case for each result of each process; a result that is wrong has failed, one that was not run was
// skipped.
std::string bench_junit(const std::vector<BenchResult>& results);

// Bencher Metric Format: "latency" and "steady-latency" in ns, "energy" in J, and the counts, each with its
// range.
std::string bench_bmf(const std::vector<BenchResult>& results);

// What github-action-benchmark reads as customSmallerIsBetter: times in us, energy in J, and counts of what
// costs.
std::string bench_gha(const std::vector<BenchResult>& results);

// Google Benchmark's JSON, for what reads that: the times in us, one row each and no aggregates.
std::string bench_gbench(const std::vector<BenchResult>& results);

}  // namespace gpulab::report
