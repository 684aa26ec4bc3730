#pragma once

#include <string>
#include <vector>

#include "core/bench_result.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// What a benchmark measured, for people: a heading, a table for each lesson and its options with a row for
// each case, then what is incomplete, invalid or to be taken with care. No line is longer than the style's
// width.
std::string bench_text(const BenchResult& result, const TextStyle& style);

// The same one after another, each below the name of its file.
std::string bench_text(const std::vector<BenchResult>& results, const std::vector<std::string>& files,
                       const TextStyle& style);

// Of a result that is not complete: "12 of 40 rows were measured (SIGINT)".
std::string rows_measured(const BenchResult& result);

}  // namespace gpulab::report
