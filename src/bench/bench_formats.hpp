#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "bench/result.hpp"

namespace gpulab::bench {

// Documents of `gpulab bench`, "gpulab.bench", which match data/gpulab-bench.schema.json; and the same as
// JSON Lines: a line of facts, a line for each row as soon as it is measured, a line for the end.

// Returns one document: rows under "results", each flat except for its times, energy and counts.
std::string bench_json(const BenchResult& result);

// Writer of a result's document, again after each new row. It makes the text of each row once.
class GrowingBenchJson {
 public:
  std::string document(const BenchResult& result);

 private:
  std::string rows_;  // JSON text of the first count_ rows
  std::size_t count_ = 0;
};

// Returns the document of a bench that has only been planned. In place of results it has the ids of the rows
// that one process would measure, in the order of measurement, and the estimated seconds for everything.
std::string bench_plan_json(const BenchResult& planned, double estimated_s);

// Return lines that end with a line break.
std::string bench_facts_line(const BenchResult& result);  // everything except the rows and the end
std::string bench_row_line(const BenchRow& row);
std::string bench_end_line(const BenchResult& result);  // the reason why it ended, remarks, claims, ceilings

// Reads a document and ignores unknown fields. Throws UsageError, which begins with the name, if the text is
// no such document, is damaged, or has another major version.
BenchResult read_bench_json(const std::string& text, const std::string& name);

// Reads a line, adds it to the result and returns whether it was the last. Throws as read_bench_json() does.
bool read_bench_line(const std::string& line, const std::string& name, BenchResult& result);

// Options, seeds and block sizes that differ between the cases of a lesson.
class CaseDifferences {
 public:
  explicit CaseDifferences(const std::vector<BenchCase>& cases);

  // Returns "distribution=sorted seed=7"; empty where all cases are alike.
  std::string text(const BenchCase& what) const;

 private:
  std::map<std::string, std::map<std::string, std::set<std::string>>> values_;  // by lesson, then option
};

// Sections of cases. Every report on a benchmark consists of these.

// Cases of a lesson that differ only in variant and size, with their references.
struct BenchSection {
  std::string lesson;
  std::string options;       // those that differ between sections: "distribution=sorted"; may be empty
  std::string same_options;  // those that all sections of the lesson share: "bins=256 seed=42"; may be empty
  std::vector<CaseFigures> cases;

  std::string title() const { return lesson + (options.empty() ? "" : " · " + options); }
  std::vector<std::size_t> sizes() const;  // measured, ascending
  bool is_by_operations() const;           // whether its rates are operations per second, not bytes
};

std::vector<BenchSection> bench_sections(const std::vector<CaseFigures>& cases);

// Returns bytes, or floating-point operations, per second; none if the problem declares none.
std::optional<double> bench_rate(const Traffic& traffic, std::optional<double> seconds);

// A count of the simulator that shows what a case costs.
struct CountFigure {
  std::string name;   // "sectors"
  std::string title;  // "Sectors of global memory"
  std::string explanation;
  double value = 0;
};
std::vector<CountFigure> count_figures(const CaseFigures& measured);
std::string count_text(double value);  // whole numbers in full: "16 384", "17.2"

// Returns the sum of the counts whose name has this ending, such as "sectors" of global loads, stores and
// atomics; none if no count has it.
std::optional<double> sum_of_counts(const CaseFigures& measured, std::string_view ending);

// Results of bench for other tools. Each format holds a part of a gpulab.bench document. bmf, gha and gbench,
// whose tools plot one number per name, hold medians over processes and no wrong results. The functions for
// these three throw UsageError if no right result is left.

// Returns CSV (RFC 4180), a row for each row of each process; nested fields have dots in their names.
std::string bench_csv(const std::vector<BenchResult>& results);

// Returns a table with a row for each case, such as for $GITHUB_STEP_SUMMARY.
std::string bench_markdown(const std::vector<BenchResult>& results);

// Returns a test case for each row of each process. A wrong result failed; a row that was not run was
// skipped.
std::string bench_junit(const std::vector<BenchResult>& results);

// Returns Bencher Metric Format: latencies in ns, "energy" in J, and the counts, each with its range.
std::string bench_bmf(const std::vector<BenchResult>& results);

// Returns github-action-benchmark's customSmallerIsBetter: times in us, energy in J, and counted costs.
std::string bench_gha(const std::vector<BenchResult>& results);

// Returns Google Benchmark's JSON: the times in us, one row each and no aggregates.
std::string bench_gbench(const std::vector<BenchResult>& results);

// Formats a benchmark for people: a heading, a table for each lesson and its options with a row for each
// case, then what is incomplete, invalid or to be taken with care. No line is longer than the style's width.
std::string bench_text(const BenchResult& result, const TextStyle& style);

// Formats several benchmarks, each below the name of its file.
std::string bench_text(const std::vector<BenchResult>& results, const std::vector<std::string>& files,
                       const TextStyle& style);

// Returns in which lessons and variants nothing was counted or timed that a comparison judges, such as in
// calls of the CUDA runtime: "the simulator counts nothing in multi-gpu/graph, runtime-api"; empty if there
// is none.
std::string uncounted_text(const std::vector<CaseFigures>& cases, const DeviceProperties& device);

// Describes an incomplete result: "12 of 40 rows were measured (SIGINT)".
std::string rows_measured(const BenchResult& result);

// Plots each lesson and its options over size, to fit a terminal of 24 lines: the rate if the problem has
// one, the time otherwise; on the simulator a count, which is that in `counts` for the lesson, or else the
// sectors. Returns a sentence if there is only one size.
std::string bench_plot(const BenchResult& result, const TextStyle& style,
                       const std::map<std::string, std::string>& counts = {});

}  // namespace gpulab::bench
