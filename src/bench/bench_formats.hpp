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

// What tells cases of a lesson apart, besides their variants and sizes: options, seeds and blocks that not
// all of them share.
class CaseDifferences {
 public:
  explicit CaseDifferences(const std::vector<BenchCase>& cases);

  // "distribution=sorted seed=7"; empty where all cases are alike.
  std::string text(const BenchCase& what) const;

 private:
  std::map<std::string, std::map<std::string, std::set<std::string>>> values_;  // by lesson, then option
};

// What every report on a benchmark is made of: cases as their readers want them, in sections.

// The cases of a lesson that differ in nothing but their variant and their size, the references among them.
struct BenchSection {
  std::string lesson;
  std::string options;  // that tell it from other sections of the lesson: "distribution=sorted"; may be empty
  std::string same_options;  // that all sections of the lesson share: "bins=256 seed=42"; may be empty
  std::vector<CaseFigures> cases;

  std::string title() const { return lesson + (options.empty() ? "" : " · " + options); }
  std::vector<std::size_t> sizes() const;  // measured, ascending
  bool is_by_operations() const;           // what its rates are of; bytes otherwise
};

std::vector<BenchSection> bench_sections(const std::vector<CaseFigures>& cases);

// Bytes, or floating-point operations, per second; none where the problem declares none.
std::optional<double> bench_rate(const Traffic& traffic, std::optional<double> seconds);

// What the simulator counted of a case, in the few figures that say what it costs.
struct CountFigure {
  std::string name;   // "sectors"
  std::string title;  // "Sectors of global memory"
  std::string explanation;
  double value = 0;
};
std::vector<CountFigure> count_figures(const CaseFigures& one);
std::string count_text(double value);  // whole numbers in full: "16 384", "17.2"

// All counts whose names end so, added: "sectors" of global loads, stores and atomics. None where there are
// none.
std::optional<double> sum_of_counts(const CaseFigures& one, std::string_view ending);

// What bench measured, as other tools read it. Each is a part of what the documents of gpulab.bench have.
// Formats for tools that chart one number for each name have the median over processes, without results that
// are wrong, and throw UsageError where nothing is left for them.

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

// What a benchmark measured, for people: a heading, a table for each lesson and its options with a row for
// each case, then what is incomplete, invalid or to be taken with care. No line is longer than the style's
// width.
std::string bench_text(const BenchResult& result, const TextStyle& style);

// The same one after another, each below the name of its file.
std::string bench_text(const std::vector<BenchResult>& results, const std::vector<std::string>& files,
                       const TextStyle& style);

// Of a result that is not complete: "12 of 40 rows were measured (SIGINT)".
std::string rows_measured(const BenchResult& result);

// A plot over size for each lesson and its options, which fits a terminal of 24 lines: the rate where the
// problem has one, the time otherwise, sectors on the simulator. A sentence for what has one size only.
std::string bench_plot(const BenchResult& result, const TextStyle& style);

}  // namespace gpulab::bench
