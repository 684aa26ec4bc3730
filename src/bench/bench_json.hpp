#pragma once

#include <cstddef>
#include <string>

#include "bench/result.hpp"

namespace gpulab::bench {

// The documents of `gpulab bench`, "gpulab.bench", which match data/gpulab-bench.schema.json; and the same as
// JSON Lines: a line of facts, a line for each row as soon as it is measured, a line for the end.

// As one document: rows under "results", each flat but for its times, energy and counts.
std::string bench_json(const BenchResult& result);

// The same, again and again, of a result that only ever gets more rows.
class GrowingBenchJson {
 public:
  std::string document(const BenchResult& result);

 private:
  std::string rows_;
  std::size_t count_ = 0;
};

// The lines end with a line break.
std::string bench_facts_line(const BenchResult& result);  // all but the rows and the end
std::string bench_row_line(const BenchRow& row);
std::string bench_end_line(const BenchResult& result);  // why it ended, remarks, claims, ceilings

// Reads a document. Unknown fields are left out. Throws UsageError, which begins with the name, for what is
// no such document, is damaged, or has another major version.
BenchResult read_bench_json(const std::string& text, const std::string& name);

// Reads one of the lines and adds it to the result; whether it was the end. Throws UsageError like
// read_bench_json().
bool read_bench_line(const std::string& line, const std::string& name, BenchResult& result);

}  // namespace gpulab::bench
