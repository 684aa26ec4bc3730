#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/lesson_options.hpp"
#include "cli/output.hpp"
#include "core/result.hpp"
#include "core/run_facts.hpp"

namespace gpulab::cli {

// "text", "json" or "csv": as --format says, or else the ending of --output.
std::string format_of(const LessonWords& words);

// Where the results of one command go. With --output they are written to the file, and as text to stdout too.
class LessonReports {
 public:
  // For so many results. Throws UsageError when the file cannot be written. Touches nothing yet.
  LessonReports(const LessonWords& words, std::size_t count);

  bool empty() const { return results_.empty(); }
  bool is_text_on_stdout() const { return is_text_on_stdout_; }

  // Text for stdout is written at once, one report after another.
  void add(LessonResult result);

  // Writes what has to be whole: the file, JSON and CSV.
  void finish(const RunFacts& facts);

 private:
  std::string document(const RunFacts& facts) const;

  std::string format_;
  Output output_;
  std::size_t count_;
  bool is_text_on_stdout_;
  std::vector<LessonResult> results_;
};

// Lines for stderr: what should have run and did not is an error of its own, beside its place in the report.
std::string failures_text(const std::string& lesson, const std::vector<VariantResult>& variants);

}  // namespace gpulab::cli
