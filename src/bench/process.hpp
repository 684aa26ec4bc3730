#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/waiting.hpp"
#include "bench/result.hpp"
#include "run/sampling.hpp"

namespace gpulab::bench {

// How a document of rows is written and a line of one is read; the formats are in report/.
struct Format {
  std::function<std::string(const BenchResult&)> document;
  // Adds the line to the result; whether it was the last.
  std::function<bool(const std::string& line, BenchResult& result)> read_line;
};

struct ProcessLimits {
  StopRequest stop;
  std::optional<double> time_budget_s = {};  // that the process knows of
};

// Measures in a process of its own: `WORDS... --format jsonl --resume -`, which reads from stdin what has
// been measured and need not be again. What it measures is added to the result, row by row, and on_row is
// called after each. A process that a kernel has left without a GPU is followed by another one. One that
// still runs some seconds after its time is killed. Returns the exit status of a process that failed and has
// said why, or 0. Throws WorkStopped; what was measured until then is in the result. Throws UsageError where
// the result has cases that are not asked for now, or another device.
int measure_in_process(const std::vector<std::string>& words, int process, const Format& format,
                       const ProcessLimits& limits, const std::function<void()>& on_row, BenchResult& result);

using run::steady_now_s;

}  // namespace gpulab::bench
